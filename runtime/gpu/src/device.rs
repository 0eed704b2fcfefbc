//! Devices: what the kernel driver says of each.

use kiln_emit::platform::{self, Platform};

/// Tiles of images (PRM vol. 5, "Tiling").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiling {
    /// X and Y, before XeHP.
    Y,
    /// X, 4 and 64.
    Four,
    /// X, 4 and 64, the last with other volumes: since Xe2.
    Xe2,
}

/// Drivers that have a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doors {
    /// Drivers that speak to a simulator ([`super::Tbx`]).
    Simulator,
    /// Drivers that speak to the kernel ([`super::Xe`]).
    Kernel,
    /// Both.
    Both,
}

/// A device that programs can be given.
#[derive(Debug)]
pub struct Device {
    /// Name of its platform.
    pub platform: &'static str,
    /// Drivers that have it.
    pub doors: Doors,
    /// PCI device id: one of those by which the driver knows the platform (compute-runtime, `devices_base.inl`).
    pub id: u32,
    /// Revision of the PCI device.
    pub revision: u32,
    /// Version of the graphics IP, in hundredths, and its revision: 20.04 is 2004.
    pub ip: (u16, u16),
    /// Number of bits of an address.
    pub address_bits: u32,
    /// Number of execution units of a subslice; there are eight subslices.
    pub units: u32,
    /// Type of the mask that says which they are: `DRM_XE_TOPO_EU_PER_DSS`, or `DRM_XE_TOPO_SIMD16_EU_PER_DSS` since Xe2.
    pub units_mask: u16,
    /// Size of the device's own memory in bytes; 0 if it uses the system's.
    pub local: u64,
    /// Tiles of images.
    pub tiling: Tiling,
}

/// Number of subslices of each device.
pub const SUBSLICES: u32 = 8;

const fn row(
    platform: &'static str,
    doors: Doors,
    (id, revision): (u32, u32),
    ip: (u16, u16),
    local: u64,
) -> Device {
    let xe2 = ip.0 >= 2000;
    Device {
        platform,
        doors,
        id,
        revision,
        ip,
        address_bits: if ip.0 == PONTE_VECCHIO { 57 } else { 48 },
        units: if xe2 || ip.0 == PONTE_VECCHIO { 8 } else { 16 },
        units_mask: if xe2 { 5 } else { 4 },
        local,
        tiling: match ip.0 {
            ..1255 => Tiling::Y,
            1255..2000 => Tiling::Four,
            2000.. => Tiling::Xe2,
        },
    }
}

/// The version with wider addresses, and with half the units that are twice as wide.
const PONTE_VECCHIO: u16 = 1260;

/// All devices.
pub static DEVICES: &[Device] = &[
    row("skl", Doors::Simulator, (0x1912, 6), (900, 0), 0),
    row("icllp", Doors::Simulator, (0x8a52, 7), (1100, 0), 0),
    row("tgllp", Doors::Both, (0x9a49, 4), (1200, 0), 0),
    row("dg2", Doors::Kernel, (0x56a0, 8), (1255, 8), 8 << 30),
    row("pvc", Doors::Kernel, (0x0bd5, 0x2f), (1260, 7), 8 << 30),
    row("mtl", Doors::Kernel, (0x7d55, 4), (1271, 4), 0),
    row("bmg", Doors::Kernel, (0xe20b, 4), (2001, 4), 8 << 30),
    row("lnl", Doors::Kernel, (0x64a0, 4), (2004, 4), 0),
    row("ptl", Doors::Kernel, (0xb080, 4), (3000, 4), 0),
];

impl Device {
    /// The device of a platform.
    pub fn find(platform: &str) -> Option<&'static Device> {
        let name = platform::find(platform)?.name;
        DEVICES.iter().find(|device| device.platform == name)
    }

    /// Facts about the platform.
    ///
    /// # Panics
    /// Not with the rows of [`DEVICES`], each of which names one (a test says so).
    pub fn platform(&self) -> &'static Platform {
        platform::find(self.platform).expect("a row names a platform")
    }

    /// The hardware configuration: triples of a key, the number of values, and a value (the GuC's table, `intel_hwconfig_types.h`).
    /// The driver refuses groups without these.
    pub fn configuration(&self) -> Vec<u32> {
        let rows = [
            (1, 2),
            (2, SUBSLICES),
            (3, self.units),
            (10, 8),
            (11, 1),
            (15, 8),
            (23, 1),
            (24, 1),
            (64, 512),
            (65, 128),
            (70, SUBSLICES),
            (71, self.units),
            (73, 128),
            (83, 1),
            (84, 4),
            (85, 2),
        ];
        rows.into_iter()
            .flat_map(|(key, value)| [key, 1, value])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_has_a_platform_by_whose_names_it_is_found() {
        for device in DEVICES {
            assert_eq!(device.platform().name, device.platform);
            assert!(std::ptr::eq(Device::find(device.platform).unwrap(), device));
        }
        assert!(Device::find("bxt").is_none());
        assert!(Device::find("nothing").is_none());
    }
}
