use super::*;
use crate::platform::PLATFORMS;
use proptest::prelude::*;

/// Encodes decoded descriptors and compares; false if they are no known request.
fn there_and_back(of: Descriptors, family: Family) -> bool {
    let Ok(request) = Request::decode(of, family) else {
        return false;
    };
    assert_eq!(request.encode(family), Ok(of), "{request:x?}");
    true
}

#[test]
fn every_request_of_a_data_port_comes_back() {
    for sfid in [9, 10, 12] {
        let mut known = 0;
        for low in 0..1 << 20 {
            let of = Descriptors {
                sfid,
                end_of_thread: false,
                desc: 0x0240_0000 | low,
                ex_desc: 0x80 | u32::from(sfid),
            };
            known += usize::from(there_and_back(of, Family::Gen9));
        }
        assert!(known > 50_000, "only {known} of function {sfid}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(20_000)
    })]

    /// All rows, with random bits outside those that identify them.
    #[test]
    fn every_row_comes_back(
        platform in 0..PLATFORMS.len(),
        place: usize,
        desc: u32,
        length in 0u32..16,
        upper: u16,
        end_of_thread: bool,
    ) {
        let platform = &PLATFORMS[platform];
        let messages = family_messages(platform.family);
        let all: Vec<(u8, &Row)> = (0..16)
            .flat_map(|sfid| {
                let requested = &messages.requests[usize::from(sfid)];
                requested.rows.iter().map(move |row| (sfid, row))
            })
            .collect();
        let (sfid, row) = all[place % all.len()];
        let mut ex_desc = length << 6 | u32::from(upper) << 16;
        if messages.function_in_descriptor {
            ex_desc |= u32::from(sfid) | u32::from(end_of_thread) << 5;
        }
        let of = Descriptors {
            sfid,
            end_of_thread,
            desc: desc & !row.mask | row.bits,
            ex_desc,
        };
        match Request::decode(of, platform.family) {
            Ok(request) => prop_assert_eq!(request.encode(platform.family), Ok(of)),
            Err(error) => {
                let reserved = matches!(error, RequestError::Code { .. });
                prop_assert!(reserved, "{:x?}: {}", of, error);
            }
        }
    }
}
