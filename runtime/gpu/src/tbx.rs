//! The simulator's door: a server on loopback for drivers that speak to a simulator of a device by themselves (`tbx_proto.h`).
//!
//! Each connection is a device with memory of its own. A message is a type, a number, a length, and so many bytes. Clients write and read
//! physical memory, in which they place page tables, rings and batches, and registers, by which they submit.

use std::collections::HashMap;
use std::io::{BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use super::device::Device;
use super::launch::{Failure, Settings};
use super::physical::{Mapped, PAGE, Physical, Refused};
use super::report;
use super::space::Space;
use super::stream::{Streamer, length};

/// Types of messages.
const REGISTER: u32 = 0;
const REGISTER_ANSWER: u32 = 1;
const GLOBAL_PAGE: u32 = 2;
const WRITE: u32 = 4;
const READ: u32 = 5;
const READ_ANSWER: u32 = 6;
const CONTROL: u32 = 11;
/// Size of the begin of every message and answer: type, number, and length.
const HEAD: usize = 12;
/// Size of the answer to a read before the memory.
const READ_BODY: usize = 12;
/// Maximum size of a message without the memory that follows it.
const MOST_BODY: u32 = 64;
/// Size of a part of memory that is read from a connection or written to it at once.
const PART: usize = 1 << 16;
/// Maximum numbers of registers, and of entries of the global page table: 4 GiB.
const MOST_REGISTERS: usize = 1 << 16;
const MOST_GLOBAL: usize = 1 << 20;
/// Maximum number of pages of a client's memory: 4 GiB.
const MOST_PAGES: usize = 1 << 20;
/// Maximum number of connections at once.
const MOST_CLIENTS: usize = 64;

/// Offsets in an engine's registers (PRM vol. 2c). The upper bits are the engine's.
const OFFSET: u32 = 0xfff;
/// Four dwords in turn, before Gen11: the first context's descriptor is the last one.
const SUBMIT_PORT: u32 = 0x230;
const STATUS: u32 = 0x234;
/// The queue of descriptors since Gen11, and the register that submits it.
const SUBMIT_QUEUE: u32 = 0x510;
const SUBMIT_LOAD: u32 = 0x550;
/// The status of an engine that waits for work.
const IDLE: u32 = 0x100;

/// Offsets in a context's image (PRM vol. 7, "Register/State Context").
const CONTEXT: u64 = 0x1000;
const RING_TAIL: u64 = 0x1c;
const RING_START: u64 = 0x24;
const RING_CONTROL: u64 = 0x2c;
const ROOT_HIGH: u64 = 0xc4;
const ROOT_LOW: u64 = 0xcc;
/// `MI_BATCH_BUFFER_START`.
const JUMP: u32 = 0x31;

/// Numbers of bytes that follow the begin of a client's message, and that its answer has; none if that begin is not whole.
pub fn exchange(begin: &[u8]) -> Option<(usize, usize)> {
    let [kind, _, size] = dwords(begin.get(..HEAD)?);
    let body = begin.get(HEAD..HEAD + size.min(MOST_BODY) as usize)?;
    let [flags, _, count, _] = dwords(body);
    Some(match kind {
        REGISTER if flags & 1 == 0 => (0, HEAD + size_of::<u32>()),
        WRITE => (count as usize, 0),
        READ => (0, HEAD + READ_BODY + count as usize),
        _ => (0, 0),
    })
}

/// A server of simulated devices.
pub struct Tbx {
    listener: TcpListener,
    device: &'static Device,
    settings: Settings,
}

impl Tbx {
    /// A server on a port of loopback; 0 for one that is free.
    ///
    /// # Errors
    /// The port is not free.
    pub fn new(port: u16, device: &'static Device, settings: Settings) -> Result<Tbx> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        Ok(Tbx {
            listener,
            device,
            settings: Settings {
                goes_on: true,
                ..settings
            },
        })
    }

    /// The port.
    ///
    /// # Errors
    /// An error of the system.
    pub fn port(&self) -> Result<u16> {
        Ok(self.listener.local_addr()?.port())
    }

    /// Serves clients for ever.
    ///
    /// # Errors
    /// An error of the system.
    pub fn serve(&self) -> Result<()> {
        let clients = Arc::new(AtomicUsize::new(0));
        for stream in self.listener.incoming() {
            let stream = stream?;
            report::used(None);
            if clients.fetch_add(1, Relaxed) >= MOST_CLIENTS {
                clients.fetch_sub(1, Relaxed);
                report::fault("too many connections");
                continue;
            }
            let (clients, device, settings) = (clients.clone(), self.device, self.settings);
            std::thread::spawn(move || {
                if let Err(error) = serve(stream, device, settings) {
                    report::fault(error);
                }
                clients.fetch_sub(1, Relaxed);
            });
        }
        Ok(())
    }
}

/// Serves a connection to its end.
fn serve(stream: TcpStream, device: &'static Device, settings: Settings) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut input = BufReader::with_capacity(1 << 20, stream.try_clone()?);
    let mut output = stream;
    let mut client = Client::new(device, settings)?;
    let mut part = vec![0; PART];
    loop {
        let mut head = [0; HEAD];
        match input.read_exact(&mut head) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(()),
            other => other?,
        }
        let [kind, id, size] = dwords(&head);
        if size > MOST_BODY {
            return Err(wrong(format!("a message of {size} bytes")));
        }
        let mut body = [0; MOST_BODY as usize];
        input.read_exact(&mut body[..size as usize])?;
        let [a, b, c, d] = dwords(&body);
        match kind {
            REGISTER if a & 1 != 0 => client.set_register(b, c)?,
            REGISTER => {
                let value = client.register(b);
                output.write_all(&bytes(&[REGISTER_ANSWER, id, 4, value]))?;
            }
            GLOBAL_PAGE => client.set_global(b, u64::from(c) | u64::from(d) << 32)?,
            WRITE => {
                let mut at = physical(a, b);
                let mut left = c as usize;
                while left > 0 {
                    let part = &mut part[..left.min(PART)];
                    input.read_exact(part)?;
                    client.memory.write(at, part).map_err(refused)?;
                    at += part.len() as u64;
                    left -= part.len();
                }
            }
            READ => {
                output.write_all(&bytes(&[READ_ANSWER, id, 12, a & 0xff00_0000, b, c]))?;
                let mut at = physical(a, b);
                let mut left = c as usize;
                while left > 0 {
                    let part = &mut part[..left.min(PART)];
                    client.memory.read(at, part).map_err(refused)?;
                    output.write_all(part)?;
                    at += part.len() as u64;
                    left -= part.len();
                }
            }
            CONTROL => {}
            kind => return Err(wrong(format!("a message of type {kind}"))),
        }
    }
}

/// A physical address of 40 bits: the flags' upper byte is its own.
fn physical(flags: u32, low: u32) -> u64 {
    u64::from(flags >> 24) << 32 | u64::from(low)
}

fn dwords<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let mut out = [0; N];
    for (out, bytes) in out.iter_mut().zip(bytes.as_chunks().0) {
        *out = u32::from_le_bytes(*bytes);
    }
    out
}

fn bytes(dwords: &[u32]) -> Vec<u8> {
    dwords
        .iter()
        .flat_map(|dword| dword.to_le_bytes())
        .collect()
}

fn wrong(what: String) -> Error {
    Error::new(ErrorKind::InvalidData, format!("the client sends {what}"))
}

fn refused(refused: Refused) -> Error {
    wrong(match refused {
        Refused::Outside(at) => format!("the address {at:#x}, outside memory"),
        Refused::Full => "more memory or tables than a device has".to_string(),
        Refused::System => "more memory than the system has".to_string(),
    })
}

/// The device of a connection.
struct Client {
    memory: Physical,
    mapped: Mapped,
    space: Arc<Space>,
    registers: HashMap<u32, u32>,
    /// Pages by their numbers in the global table.
    global: HashMap<u32, u64>,
    /// Dwords of the port so far.
    port: Vec<u32>,
    /// Place in the ring of each context.
    heads: HashMap<u32, u32>,
    streamer: Streamer,
    stop: AtomicBool,
}

impl Client {
    fn new(device: &'static Device, settings: Settings) -> Result<Client> {
        Ok(Client {
            memory: Physical::new(MOST_PAGES)?,
            mapped: Mapped::default(),
            space: Arc::new(Space::new(device.address_bits)),
            registers: HashMap::new(),
            global: HashMap::new(),
            port: Vec::new(),
            heads: HashMap::new(),
            streamer: Streamer::new(device, settings),
            stop: AtomicBool::new(false),
        })
    }

    fn register(&self, at: u32) -> u32 {
        match at & OFFSET {
            STATUS => IDLE,
            _ => self.registers.get(&at).copied().unwrap_or(0),
        }
    }

    fn set_register(&mut self, at: u32, value: u32) -> Result<()> {
        if self.registers.len() == MOST_REGISTERS && !self.registers.contains_key(&at) {
            return Err(wrong("too many registers".to_string()));
        }
        self.registers.insert(at, value);
        match at & OFFSET {
            SUBMIT_PORT => {
                self.port.push(value);
                match self.port[..] {
                    [_, _, _, low] => {
                        self.port.clear();
                        self.submit(low)
                    }
                    _ => Ok(()),
                }
            }
            SUBMIT_LOAD => self.submit(self.register(at - SUBMIT_LOAD + SUBMIT_QUEUE)),
            _ => Ok(()),
        }
    }

    fn set_global(&mut self, index: u32, entry: u64) -> Result<()> {
        if self.global.len() == MOST_GLOBAL && !self.global.contains_key(&index) {
            return Err(wrong("too many pages of the global table".to_string()));
        }
        match entry & 1 {
            0 => self.global.remove(&index),
            _ => self.global.insert(index, entry & 0x7fff_ffff_f000),
        };
        Ok(())
    }

    /// A dword at an address of the global table; 0 if there is none.
    fn global_dword(&self, at: u64) -> u32 {
        let page = u32::try_from(at / PAGE)
            .ok()
            .and_then(|page| self.global.get(&page));
        page.map_or(0, |page| self.memory.dword(page | (at % PAGE)))
    }

    /// Executes what a context's ring has since the last time.
    fn submit(&mut self, descriptor: u32) -> Result<()> {
        let context = descriptor & !(PAGE as u32 - 1);
        let image = |offset: u64| self.global_dword(u64::from(context) + CONTEXT + offset);
        let (tail, start) = (image(RING_TAIL), u64::from(image(RING_START)));
        let size = (image(RING_CONTROL) & 0x1f_f000) + PAGE as u32;
        let root = u64::from(image(ROOT_HIGH)) << 32 | u64::from(image(ROOT_LOW));
        self.update(root)?;
        let mut head = self.heads.get(&context).copied().unwrap_or(0) % size;
        let tail = (tail % size) & !3;
        let mut left = size / 4;
        while head != tail && left > 0 {
            let word =
                |number: u32| self.global_dword(start + u64::from((head + number * 4) % size));
            let first = word(0);
            let words: Vec<u32> = (0..length(first)).map(word).collect();
            // Commands in the ring that are longer than what is left end it.
            head = (head + words.len() as u32 * 4) % size;
            left = left.saturating_sub(words.len() as u32);
            let space = self.space.clone();
            let done = match first >> 23 {
                JUMP => {
                    let batch = super::blit::address(&words, 1);
                    self.streamer.run(batch, &|| space.clone(), &self.stop)
                }
                _ => self.streamer.single(&words, &space, &self.stop),
            };
            done.map_err(|failure| {
                Error::other(match failure {
                    Failure::Fault(fault) => format!("page fault at {:#x}", fault.at),
                    Failure::Run(error) => error,
                    Failure::Endless(what) => what.to_string(),
                })
            })?;
        }
        self.heads.insert(context, tail);
        Ok(())
    }

    /// Takes the address space as the tables now are.
    fn update(&mut self, root: u64) -> Result<()> {
        // The old space must not outlive what it maps.
        let mut mapped = std::mem::take(&mut self.mapped);
        let result = self.memory.map(root, &mut mapped).map_err(refused);
        if let Some(space) = result? {
            self.space = Arc::new(space);
        }
        self.mapped = mapped;
        Ok(())
    }
}
