use std::ptr::NonNull;

use kiln_emit::platform;
use kiln_emit::ze_info::ZeInfo;

use super::*;

const INFO: &str = "
version: '1.8'
kernels:
  - name: k
    execution_env: {grf_count: 128, simd_size: 16, offset_to_skip_per_thread_data_load: 16}
    payload_arguments:
      - {arg_type: global_id_offset, offset: 0, size: 12}
      - {arg_type: arg_bypointer, offset: 16, size: 8, arg_index: 0, addrmode: stateless, addrspace: global}
      - {arg_type: arg_bypointer, offset: 24, size: 8, arg_index: 1, addrmode: stateless, addrspace: global}
      - {arg_type: arg_byvalue, offset: 36, size: 4, arg_index: 2, source_offset: 4}
      - {arg_type: arg_byvalue, offset: 32, size: 4, arg_index: 2, source_offset: 0}
      - {arg_type: arg_bypointer, offset: 40, size: 4, arg_index: 3, addrmode: slm, addrspace: local}
";
/// Addresses of code, the payload and two buffers, which one range holds.
const CODE: u64 = 0x10000;
const PAYLOAD: u64 = 0x11000;
const BUFFERS: [u64; 2] = [0x12000, 0x12040];
const END: u64 = 0x12100;

fn write(space: &Space, at: u64, bytes: &[u8]) {
    for (number, dword) in (0..).zip(bytes.chunks(4)) {
        let dword = u32::from_le_bytes(dword.try_into().unwrap());
        space.set_dword(at + 4 * number, dword).unwrap();
    }
}

/// A launch is found by its code, and its buffers are written before and after it. One with an offset, or with one buffer twice, is left
/// out.
#[test]
fn launches_are_files() {
    let folder = std::env::temp_dir().join(format!("kiln-record-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join(OBJECTS)).unwrap();
    let text: Vec<u8> = (0..64).collect();
    let info = ZeInfo::parse(INFO.as_bytes()).unwrap();
    let zebin = Zebin::new(
        platform::find("lnl").unwrap(),
        vec![("k".into(), text.clone())],
        info,
    );
    fs::write(folder.join(OBJECTS).join("0.zebin"), zebin.write().unwrap()).unwrap();
    let mut memory = vec![0u32; 0x2100 / 4];
    let host = NonNull::new(memory.as_mut_ptr().cast::<u8>()).unwrap();
    let mut space = Space::new(48);
    // SAFETY: the vector outlives the space.
    unsafe { space.bind(CODE, END - CODE, host) };
    // The driver starts threads after the part that it makes superfluous.
    write(&space, CODE, &text[16..]);
    let rest = [BUFFERS[0].to_le_bytes(), BUFFERS[1].to_le_bytes()].concat();
    let numbers = [7u32, 9, 0x80].map(u32::to_le_bytes).concat();
    write(&space, PAYLOAD, &[rest, numbers].concat());
    write(&space, BUFFERS[1], &[1; 64]);
    let arguments = Arguments {
        inline: vec![0; 16],
        indirect: PAYLOAD,
        local: Some([16, 1, 1]),
        slm: 0x400,
    };
    to(&folder);
    let launch = |arguments, first| begin(&space, CODE, Some(arguments), [4, 2, 1], first);
    let record = launch(&arguments, [0; 3]).unwrap();
    write(&space, BUFFERS[0], &[5; 8]);
    record.end(&space);
    let made = folder.join("0000-k");
    let read = |name: &str| fs::read(made.join(name)).unwrap();
    let expected = "kernel: k\nglobal: [64, 2, 1]\nlocal: [16, 1, 1]\nargs:\n  - {buf: 0.before, expect: 0.after, type: u8}\n  \
                    - {buf: 1.before, expect: 1.after, type: u8}\n  - {bytes: '0700000009000000'}\n  - {local: 896}\n";
    assert_eq!(String::from_utf8(read(LAUNCH)).unwrap(), expected);
    assert_eq!(read(OBJECT), zebin.write().unwrap());
    assert_eq!(read("0.before"), [0; 64]);
    assert_eq!(read("0.after"), [[5; 8].as_slice(), &[0; 56]].concat());
    let second = [[1; 64].as_slice(), &[0; 128]].concat();
    assert_eq!(
        (read("1.before"), read("1.after")),
        (second.clone(), second)
    );

    assert!(launch(&arguments, [0, 1, 0]).is_none());
    let unsized_groups = Arguments {
        local: None,
        ..arguments.clone()
    };
    assert!(launch(&unsized_groups, [0; 3]).is_none());
    let moved = Arguments {
        inline: [1u32, 0, 0, 0].map(u32::to_le_bytes).concat(),
        ..arguments.clone()
    };
    assert!(launch(&moved, [0; 3]).is_none());
    write(&space, PAYLOAD + 8, &BUFFERS[0].to_le_bytes());
    assert!(launch(&arguments, [0; 3]).is_none());
    write(&space, PAYLOAD + 8, &[0; 8]);
    assert!(launch(&arguments, [0; 3]).is_none());
    // Other code is another kernel's.
    write(&space, CODE + 8, &[0; 4]);
    assert!(launch(&arguments, [0; 3]).is_none());
    assert!(!folder.join("0001-k").exists());
    fs::remove_dir_all(&folder).unwrap();
}
