//! The buffer of implicit arguments: sizes and local ids for functions that do not know the payload of the kernel or
//! of the thread.

/// Size of the structure in bytes.
pub(super) const BYTES: usize = 112;
/// Version of the structure's layout.
const VERSION: u8 = 0;

/// Contents of the structure.
pub(super) struct ImplicitArgs {
    pub dimensions: u32,
    pub simd: u32,
    pub local: [u32; 3],
    pub global: [u32; 3],
    pub groups: [u32; 3],
    /// Addresses.
    pub printf: u64,
    pub local_ids: u64,
}

impl ImplicitArgs {
    /// The structure's bytes in the driver's layout (compute runtime, `ImplicitArgsV0`).
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.extend([BYTES as u8, VERSION, self.dimensions as u8, self.simd as u8]);
        bytes.extend(self.local.iter().flat_map(|n| n.to_le_bytes()));
        bytes.extend(self.global.iter().flat_map(|&n| u64::from(n).to_le_bytes()));
        bytes.extend(self.printf.to_le_bytes());
        // Global ids start at 0.
        bytes.extend([0; 24]);
        bytes.extend(self.local_ids.to_le_bytes());
        bytes.extend(self.groups.iter().flat_map(|n| n.to_le_bytes()));
        bytes.resize(BYTES, 0);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_functions_read_them() {
        let args = ImplicitArgs {
            dimensions: 2,
            simd: 16,
            local: [8, 4, 1],
            global: [64, 8, 1],
            groups: [8, 2, 1],
            printf: 0x1_0000_0000,
            local_ids: 0x2_0000_0000,
        };
        let bytes = args.bytes();
        let dword = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((bytes.len(), &bytes[..4]), (112, &[112, 0, 2, 16][..]));
        assert_eq!([4, 8, 12].map(dword), [8, 4, 1]);
        assert_eq!([16, 20, 24, 32].map(dword), [64, 0, 8, 1]);
        assert_eq!([40, 44].map(dword), [0, 1]);
        assert_eq!([48, 56, 64, 72, 76].map(dword), [0, 0, 0, 0, 2]);
        assert_eq!([80, 84, 88].map(dword), [8, 2, 1]);
    }
}
