//! The simulator's door as a client meets it, who may lie about lengths, send what is no device's, or go away.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use kiln_gpu::{Device, Settings, Tbx};

/// Connects to a new server.
fn connect(platform: &str) -> TcpStream {
    let settings = Settings {
        budget: 1 << 16,
        ..Settings::default()
    };
    let server = Tbx::new(0, Device::find(platform).unwrap(), settings).unwrap();
    let port = server.port().unwrap();
    std::thread::spawn(move || server.serve());
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let time = Some(Duration::from_secs(20));
    stream.set_read_timeout(time).unwrap();
    stream.set_write_timeout(time).unwrap();
    stream
}

fn send(stream: &mut TcpStream, dwords: &[u32]) -> std::io::Result<()> {
    let bytes: Vec<u8> = dwords
        .iter()
        .flat_map(|dword| dword.to_le_bytes())
        .collect();
    stream.write_all(&bytes)
}

/// Writes dwords to physical memory.
fn write(stream: &mut TcpStream, at: u32, dwords: &[u32]) {
    send(stream, &[4, 0, 12, 0, at, dwords.len() as u32 * 4]).unwrap();
    send(stream, dwords).unwrap();
}

/// Reads a dword of physical memory.
fn read(stream: &mut TcpStream, at: u32) -> Option<u32> {
    send(stream, &[5, 9, 12, 0, at, 4]).ok()?;
    let mut answer = [0; 28];
    stream.read_exact(&mut answer).ok()?;
    let dword = |at: usize| u32::from_le_bytes(answer[at..at + 4].try_into().unwrap());
    assert_eq!(
        [dword(0), dword(4), dword(8), dword(16), dword(20)],
        [6, 9, 12, at, 4]
    );
    Some(dword(24))
}

/// True if the server has closed the connection without an answer.
fn closed(stream: &mut TcpStream) -> bool {
    matches!(stream.read(&mut [0; 16]), Ok(0))
        || stream
            .read(&mut [0; 16])
            .is_err_and(|e| e.kind() == std::io::ErrorKind::ConnectionReset)
}

/// Tables that give address 0x200000 the page 0x9000, a context, and a ring that starts a batch there; then submits it.
fn submit(stream: &mut TcpStream, platform: &str, batch: &[u32]) {
    write(stream, 0x1000, &[0x2003, 0]);
    write(stream, 0x2000, &[0x3003, 0]);
    write(stream, 0x3008, &[0x4003, 0]);
    write(stream, 0x4000, &[0x9003, 0]);
    write(stream, 0x9000, batch);
    // The global table's first pages are physical ones: the ring at 0, the context's image at 0x1000 with its registers at 0x2000.
    for (index, page) in [(0, 0x10000u32), (1, 0x11000), (2, 0x12000)] {
        send(stream, &[2, 0, 16, 1, index, page | 1, 0]).unwrap();
    }
    write(stream, 0x10000, &[0x1880_0101, 0x20_0000, 0, 0]);
    let mut image = [0; 64];
    [
        image[0x1c / 4],
        image[0x24 / 4],
        image[0x2c / 4],
        image[0xcc / 4],
    ] = [16, 0, 1, 0x1000];
    write(stream, 0x12000, &image);
    let registers = match platform {
        "skl" => vec![(0x2230, 0), (0x2230, 0), (0x2230, 0), (0x2230, 0x1001)],
        _ => vec![(0x2510, 0x1001), (0x2514, 0), (0x2550, 1)],
    };
    for (register, value) in registers {
        send(stream, &[0, 0, 12, 1, register, value]).unwrap();
    }
}

#[test]
fn a_batch_is_executed() {
    for platform in ["skl", "icllp"] {
        let mut stream = connect(platform);
        submit(
            &mut stream,
            platform,
            &[0x1000_0002, 0x20_0800, 0, 77, 0x0500_0000],
        );
        assert_eq!(read(&mut stream, 0x9800), Some(77), "{platform}");
        // Memory that nobody has written is zero.
        assert_eq!(read(&mut stream, 0x5555_0000), Some(0));
    }
}

#[test]
fn batches_that_fail_end_the_connection() {
    for batch in [
        [0x1000_0002, 0x7000_0000, 0, 77],
        [0x1880_0101, 0x20_0000, 0, 0],
    ] {
        let mut stream = connect("skl");
        submit(&mut stream, "skl", &batch);
        assert!(closed(&mut stream), "{batch:x?}");
    }
}

#[test]
fn messages_that_no_driver_sends_end_the_connection() {
    let wrong: [&[u32]; 6] = [
        // Types and lengths that there are not.
        &[77, 0, 0],
        &[0, 0, u32::MAX],
        &[4, 0, 65],
        // Memory outside.
        &[4, 0, 12, 0xff00_0000, 0xffff_ffff, 4, 0],
        &[5, 0, 12, 0xff00_0000, 0xffff_fff0, 0x4000_0000],
        // A write of more than there is.
        &[4, 0, 12, 0xff00_0000, 0xffff_f000, 0xffff_ffff],
    ];
    for message in wrong {
        let mut stream = connect("skl");
        send(&mut stream, message).unwrap();
        let zeros = [0u32; 0x8000];
        // It is closed at once, or when the memory comes; answers before that are those of reads.
        for _ in 0..16 {
            let _ = send(&mut stream, &zeros);
        }
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.len() < 1 << 20, "{message:x?}: {} bytes", rest.len());
    }
}

#[test]
fn clients_that_go_away_leave_a_server_for_others() {
    let settings = Settings::default();
    let server = Tbx::new(0, Device::find("skl").unwrap(), settings).unwrap();
    let port = server.port().unwrap();
    std::thread::spawn(move || server.serve());
    for length in 0..40 {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let message: Vec<u8> = [4u32, 0, 12, 0, 0x1000, 4096]
            .iter()
            .flat_map(|d| d.to_le_bytes())
            .collect();
        stream
            .write_all(&message[..length.min(message.len())])
            .unwrap();
    }
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write(&mut stream, 0x1000, &[42]);
    assert_eq!(read(&mut stream, 0x1000), Some(42));
}
