//! Devices: what the kernel driver says of each.

use kiln_emit::platform::{self, Platform};

/// A device that programs can be given.
#[derive(Debug)]
pub struct Device {
    /// Name of its platform.
    pub platform: &'static str,
    /// PCI device id: one of those by which the driver knows the platform (compute-runtime, `devices_base.inl`).
    pub id: u32,
    /// Version of the graphics IP, in hundredths: 20.04 is 2004.
    pub ip: u16,
    /// Number of execution units of a subslice; there are eight subslices.
    pub units: u32,
    /// Type of the mask that says which they are: `DRM_XE_TOPO_EU_PER_DSS`, or `DRM_XE_TOPO_SIMD16_EU_PER_DSS` since Xe2.
    pub units_mask: u16,
}

/// Number of subslices of each device.
pub const SUBSLICES: u32 = 8;

const fn row(platform: &'static str, id: u32, ip: u16) -> Device {
    let xe2 = ip >= 2000;
    Device {
        platform,
        id,
        ip,
        units: if xe2 { 8 } else { 16 },
        units_mask: if xe2 { 5 } else { 4 },
    }
}

/// All devices.
pub static DEVICES: &[Device] = &[
    row("mtl", 0x7d55, 1271),
    row("lnl", 0x64a0, 2004),
    row("ptl", 0xb080, 3000),
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
        assert!(Device::find("skl").is_none());
        assert!(Device::find("nothing").is_none());
    }
}
