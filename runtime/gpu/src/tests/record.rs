use std::ptr::NonNull;
use std::sync::Arc;

use kiln_emit::platform;
use kiln_emit::ze_info::ZeInfo;

use super::super::device::Tiling;
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

/// States whose heaps begin at the payload's address.
fn states(space: &Arc<Space>) -> States {
    States {
        space: space.clone(),
        table: PAYLOAD,
        surfaces: PAYLOAD,
        bindless: PAYLOAD,
        samplers: PAYLOAD,
        bindless_samplers: PAYLOAD,
        tiling: Tiling::Four,
    }
}

/// Arguments that are images, one by the heap and one by the binding table, and samplers.
#[test]
fn images_are_files_of_rows() {
    const INFO: &str = "
version: '1.8'
kernels:
  - name: k
    execution_env: {grf_count: 128, simd_size: 16}
    payload_arguments:
      - {arg_type: image_width, offset: 8, size: 4, arg_index: 0}
      - {arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: bindless, addrspace: image}
      - {arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 1, addrmode: stateful, addrspace: image, image_type: image_3d}
      - {arg_type: arg_bypointer, offset: 16, size: 8, arg_index: 2, addrmode: bindless, addrspace: sampler}
      - {arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 3, addrmode: stateful, addrspace: global}
      - {arg_type: buffer_address, offset: 24, size: 8, arg_index: 3}
    binding_table_indices:
      - {bti_value: 1, arg_index: 1}
";
    const WIDTH: usize = 20;
    const TILE: usize = 0x1000;
    let folder = std::env::temp_dir().join(format!("kiln-images-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join(OBJECTS)).unwrap();
    let text: Vec<u8> = (0..64).collect();
    let info = ZeInfo::parse(INFO.as_bytes()).unwrap();
    let platform = platform::find("lnl").unwrap();
    let zebin = Zebin::new(platform, vec![("k".into(), text.clone())], info);
    fs::write(folder.join(OBJECTS).join("0.zebin"), zebin.write().unwrap()).unwrap();
    let mut memory = vec![0u32; 5 * TILE / 4];
    let host = NonNull::new(memory.as_mut_ptr().cast::<u8>()).unwrap();
    let mut space = Space::new(48);
    // SAFETY: the vector outlives the space.
    unsafe { space.bind(CODE, 5 * TILE as u64, host) };
    let space = Arc::new(space);
    write(&space, CODE, &text);
    // The heap: a table, two surfaces of 20 times 6 bytes in tiles of kind 4 and, as an array of one layer, in rows of 32 bytes, a sampler.
    let [tiled, rows, buffer] = [0x12000u64, 0x13000, 0x14000];
    write(&space, PAYLOAD + 4, &0x80u32.to_le_bytes());
    for (at, base, tile, array, pitch) in
        [(0x40, tiled, 3u32, 0, 128u32), (0x80, rows, 0, 1 << 28, 32)]
    {
        let mut state = [0u32; 16];
        state[0] = 1 << 29 | array | 0x143 << 18 | tile << 12;
        state[2] = (WIDTH as u32 - 1) | 5 << 16;
        state[3] = pitch - 1;
        (state[8], state[9]) = (base as u32, (base >> 32) as u32);
        write(&space, PAYLOAD + at, &state.map(u32::to_le_bytes).concat());
    }
    let sampler = [1u32 << 17, 0, 0, 4 << 6 | 1 << 10];
    write(
        &space,
        PAYLOAD + 0xd0,
        &sampler.map(u32::to_le_bytes).concat(),
    );
    // Bytes of a tile: columns of 16, four rows of them, then the next column.
    for (offset, number) in [(0u64, 1u8), (16, 2), (64, 3), (256, 4)] {
        write(&space, tiled + offset, &[number, 0, 0, 0]);
    }
    write(&space, rows + 32, &[7, 8, 0, 0]);
    let inline = [0x40u64, 0, 0xd0, buffer].map(u64::to_le_bytes).concat();
    let arguments = Arguments {
        inline,
        indirect: 0,
        local: Some([16, 1, 1]),
        slm: 0,
    };
    let mut recorder = Recorder {
        files: folder.join(OBJECTS),
        folder: Some(folder.clone()),
        seen: HashSet::new(),
        objects: Vec::new(),
        launches: 0,
    };
    recorder.read();
    let (kernel, made) = (
        &recorder.objects[0].zebin.ze_info.kernels[0],
        folder.join("made"),
    );
    let files = (made.as_path(), recorder.objects[0].path.as_path());
    let states = states(&space);
    let record = started(&space, &states, kernel, &arguments, [1, 1, 1], files).unwrap();
    write(&space, tiled + 20, &[9; 4]);
    record.end(&space);
    let lines = fs::read_to_string(made.join(LAUNCH)).unwrap();
    let expected = "  - {image2d: 'r8uint:20x6:0.before', expect: 0.after, type: u8}\n  \
                    - {image3d: 'r8uint:20x6x1:1.before', expect: 1.after, type: u8}\n  \
                    - {sampler: 'unnormalized,clamp,linear'}\n  - {buf: 3.before, expect: 3.after, type: u8}\n";
    assert_eq!(lines.split_once("args:\n").unwrap().1, expected);
    let read = |name: &str| fs::read(made.join(name)).unwrap();
    let mut texels = vec![0; WIDTH * 6];
    for ([x, y], number) in [([0, 0], 1), ([0, 1], 2), ([16, 0], 3), ([0, 4], 4)] {
        texels[y * WIDTH + x] = number;
    }
    assert_eq!(read("0.before"), texels);
    texels[WIDTH + 4..WIDTH + 8].fill(9);
    assert_eq!(read("0.after"), texels);
    let mut texels = vec![0; WIDTH * 6];
    texels[WIDTH..WIDTH + 2].copy_from_slice(&[7, 8]);
    assert_eq!(read("1.before"), texels);
    assert_eq!(read("3.before").len(), TILE);
    // One image twice.
    let twice = Arguments {
        inline: [0x80u64, 0, 0xd0, buffer].map(u64::to_le_bytes).concat(),
        ..arguments
    };
    assert!(started(&space, &states, kernel, &twice, [1, 1, 1], files).is_err());
    fs::remove_dir_all(&folder).unwrap();
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
    let space = Arc::new(space);
    let states = states(&space);
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
    with(&folder.join(OBJECTS), Some(folder.clone()));
    let launch = |arguments, first| begin(&space, &states, CODE, arguments, [4, 2, 1], first);
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
