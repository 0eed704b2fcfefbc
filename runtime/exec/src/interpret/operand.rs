//! Operands: places of each channel's element, and conversions on reads and writes.
//!
//! Values are arrays of one of four host types: `i64` and `i128` for integers (the wider one when an exact result
//! needs it), `f32` for `hf` and `f`, `f64` for `df`. A source is read for all channels of the instruction; channels
//! that are not live may have an address out of range and then read as zero. A destination is written for the enabled
//! channels.

use kiln_emit::inst::Type;

use crate::code::operation::{Base, Dest, Source, Target};
use crate::state::cause::Cause;
use crate::state::lanes::{LANES, Lanes, low_mask};
use crate::state::numbers::{
    Int, flushed_df, flushed_f, int_of_bits, int_range, narrow_format, number_of, saturated,
    to_odd, wrap,
};
use crate::state::thread::{File, Thread};
use crate::state::wide::{self, Rounding, Wide};

/// The element of a register file at a byte, as bits.
pub fn element(bytes: &[u8], at: usize, size: usize) -> Result<u64, Cause> {
    let mut word = [0; 8];
    let found = bytes.get(at..at + size).ok_or(Cause::RegisterRange {
        at,
        size: bytes.len(),
    })?;
    word[..size].copy_from_slice(found);
    Ok(u64::from_le_bytes(word))
}

impl Thread {
    /// The address in `a0` at byte `at` with `imm` added: a byte of the general register file.
    pub fn address(&self, at: usize, imm: i16) -> Result<usize, Cause> {
        let Some(&word) = self.addr.get(at..).and_then(|b| b.first_chunk()) else {
            return Err(Cause::RegisterRange {
                at,
                size: self.addr.len(),
            });
        };
        let address = i32::from(u16::from_le_bytes(word)) + i32::from(imm);
        usize::try_from(address)
            .ok()
            .filter(|&a| a < self.grf.len())
            .ok_or(Cause::RegisterRange {
                at: address as u32 as usize,
                size: self.grf.len(),
            })
    }

    /// Reads the bits of every element: `each(channel, bits)`. An element out of range is an error for the channels
    /// of `live` and zero for the others.
    fn gather(
        &self,
        src: &Source,
        lanes: usize,
        live: u32,
        mut each: impl FnMut(usize, u64),
    ) -> Result<(), Cause> {
        let (bytes, start) = match src.base {
            Base::Constant(bits) => {
                (0..lanes).for_each(|lane| each(lane, bits));
                return Ok(());
            }
            Base::Packed(ref bits) => {
                (0..lanes).for_each(|lane| each(lane, bits[lane % 8]));
                return Ok(());
            }
            Base::ChannelEnable => {
                let unused = 64 - (src.ty.bytes() * 8).min(64);
                let bits = u64::from(self.active) << unused >> unused;
                (0..lanes).for_each(|lane| each(lane, bits));
                return Ok(());
            }
            Base::File { file, at } => (self.file(file), usize::from(at)),
            Base::Address { addr, imm } => match self.address(usize::from(addr), imm) {
                Ok(at) => (self.file(File::Grf), at),
                Err(_) if live & low_mask(lanes) == 0 => return Ok(()),
                Err(cause) => return Err(cause),
            },
            Base::Addresses { addr, imm, width } => {
                let size = src.ty.bytes() as usize;
                for lane in 0..lanes {
                    let row = lane / usize::from(width).max(1);
                    let at = self.address(usize::from(addr) + row * 2, imm);
                    let at = at.map(|at| at + src.steps.at(lane));
                    let element = at.and_then(|at| element(&self.grf, at, size));
                    match element {
                        Ok(bits) => each(lane, bits),
                        Err(_) if live >> lane & 1 == 0 => each(lane, 0),
                        Err(cause) => return Err(cause),
                    }
                }
                return Ok(());
            }
        };
        macro_rules! read {
            ($t:ty) => {
                for lane in 0..lanes {
                    let at = start + src.steps.at(lane);
                    match bytes.get(at..).and_then(|b| b.first_chunk()) {
                        Some(element) => each(lane, u64::from(<$t>::from_le_bytes(*element))),
                        None if live >> lane & 1 == 0 => each(lane, 0),
                        None => {
                            let size = bytes.len();
                            return Err(Cause::RegisterRange { at, size });
                        }
                    }
                }
            };
        }
        match src.ty.bytes() {
            1 => read!(u8),
            2 => read!(u16),
            4 => read!(u32),
            _ => read!(u64),
        }
        Ok(())
    }

    /// A source's elements as bits, without conversion or modifiers.
    pub fn load_bits(
        &self,
        src: &Source,
        lanes: usize,
        live: u32,
        out: &mut Lanes<u64>,
    ) -> Result<(), Cause> {
        self.gather(src, lanes, live, |lane, bits| out[lane] = bits)
    }

    /// A source as integers. If `logical`, the negation modifier is a bitwise complement. A float source is read as
    /// its bits.
    pub fn load_int<T: Int>(
        &self,
        src: &Source,
        lanes: usize,
        live: u32,
        logical: bool,
        out: &mut Lanes<T>,
    ) -> Result<(), Cause> {
        let ty = src.ty;
        if let Base::File {
            file: File::Acc,
            at,
        } = src.base
            && !ty.is_float()
        {
            let size = ty.bytes() as usize;
            for (lane, out) in out.iter_mut().enumerate().take(lanes) {
                let at = usize::from(at) + src.steps.at(lane);
                let wide = self.acc.wide(at, size);
                *out = T::from_i64(wide.ok_or(Cause::RegisterRange {
                    at,
                    size: self.acc.bytes.len(),
                })?);
            }
        } else {
            macro_rules! read {
                ($t:ty) => {
                    self.gather(src, lanes, live, |lane, bits| {
                        out[lane] = T::from_i64(bits as $t as i64);
                    })?
                };
            }
            match ty {
                Type::Ub => read!(u8),
                Type::B => read!(i8),
                Type::Uw | Type::Hf => read!(u16),
                Type::W => read!(i16),
                Type::Ud | Type::F => read!(u32),
                Type::D => read!(i32),
                _ => self.gather(src, lanes, live, |lane, bits| {
                    out[lane] = int_of_bits(bits, ty);
                })?,
            }
        }
        if src.neg || src.abs {
            for v in &mut out[..lanes] {
                if src.abs && *v < T::default() {
                    *v = v.wrapping_neg();
                }
                if src.neg {
                    *v = if logical { v.not() } else { v.wrapping_neg() };
                }
            }
        }
        Ok(())
    }

    /// A source as doubles: exact for every type but the 64-bit integers.
    pub fn load_f64(
        &self,
        src: &Source,
        lanes: usize,
        live: u32,
        out: &mut Lanes<f64>,
    ) -> Result<(), Cause> {
        let ty = src.ty;
        if !ty.is_float() {
            let mut ints = [0i128; LANES];
            self.load_int(src, lanes, live, false, &mut ints)?;
            for (out, int) in out.iter_mut().zip(ints).take(lanes) {
                let rounded = Wide::from_int(int).round(wide::DF, self.mode.rounding);
                *out = f64::from_bits(rounded);
            }
            return Ok(());
        }
        let mut bits = [0; LANES];
        self.load_bits(src, lanes, live, &mut bits)?;
        for (lane, (out, &bits)) in out.iter_mut().zip(&bits).enumerate().take(lanes) {
            *out = match ty {
                Type::Nf => self.native(src, lane, bits as u32),
                Type::Hf => f64::from(self.hf(bits)),
                Type::Df => flushed_df(f64::from_bits(bits), self.mode.flush_df),
                Type::Bf8 => f64::from(number_of(bits, ty)),
                Type::Bf | Type::Tf32 => {
                    f64::from(flushed_f(number_of(bits, ty), self.mode.flush_f))
                }
                _ => f64::from(self.f(bits)),
            };
        }
        sign(src, &mut out[..lanes], f64::abs);
        Ok(())
    }

    /// A source as singles, for operations on `f` and `hf`. An integer is rounded.
    pub fn load_f32(
        &self,
        src: &Source,
        lanes: usize,
        live: u32,
        out: &mut Lanes<f32>,
    ) -> Result<(), Cause> {
        if src.ty == Type::F {
            let flush = self.mode.flush_f;
            self.gather(src, lanes, live, |lane, bits| {
                out[lane] = flushed_f(f32::from_bits(bits as u32), flush);
            })?;
            sign(src, &mut out[..lanes], f32::abs);
            return Ok(());
        }
        let mut doubles = [0.0; LANES];
        self.load_f64(src, lanes, live, &mut doubles)?;
        for (out, v) in out.iter_mut().zip(doubles).take(lanes) {
            *out = self.to_f(v);
        }
        Ok(())
    }

    /// A native float. The register holds a rounded single; the double is in the accumulator's lane, unless the
    /// register was written otherwise since.
    fn native(&self, src: &Source, lane: usize, bits: u32) -> f64 {
        let wide = match src.base {
            Base::File {
                file: File::Acc,
                at,
            } => self.acc.wide(usize::from(at) + src.steps.at(lane), 4),
            _ => None,
        };
        wide.map(|wide| f64::from_bits(wide as u64))
            .filter(|double| (*double as f32).to_bits() == bits)
            .unwrap_or(f64::from(f32::from_bits(bits)))
    }

    /// A half, flushed as the mode says.
    pub fn hf(&self, bits: u64) -> f32 {
        let value = half::f16::from_bits(bits as u16);
        if self.mode.flush_hf && value.classify() == std::num::FpCategory::Subnormal {
            return 0f32.copysign(value.to_f32());
        }
        value.to_f32()
    }

    /// A single, flushed as the mode says.
    pub fn f(&self, bits: u64) -> f32 {
        flushed_f(f32::from_bits(bits as u32), self.mode.flush_f)
    }

    /// A double rounded to a single in the current mode.
    pub fn to_f(&self, value: f64) -> f32 {
        let rounded = match self.mode.rounding {
            Rounding::NearestEven => value as f32,
            _ if value.is_nan() => value as f32,
            other => f32::from_bits(Wide::from_f64(value).round(wide::F, other) as u32),
        };
        flushed_f(rounded, self.mode.flush_f)
    }

    /// A double rounded to a half in the current mode, as bits.
    pub fn to_hf(&self, value: f64) -> u16 {
        let rounded = match self.mode.rounding {
            Rounding::NearestEven => half::f16::from_f32(to_odd(value)),
            _ if value.is_nan() => half::f16::from_f32(value as f32),
            other => half::f16::from_bits(Wide::from_f64(value).round(wide::HF, other) as u16),
        };
        if self.mode.flush_hf && rounded.classify() == std::num::FpCategory::Subnormal {
            return half::f16::from_f32(0f32.copysign(rounded.to_f32())).to_bits();
        }
        rounded.to_bits()
    }

    /// File and first byte of a destination; none if results are dropped.
    fn place(&self, dst: &Dest) -> Result<Option<(File, usize)>, Cause> {
        match dst.target {
            Target::Null => Ok(None),
            Target::File { file, at } => Ok(Some((file, usize::from(at)))),
            // A single address, at which the region starts.
            Target::Address { addr, imm } => {
                let start = self.address(usize::from(addr), imm)?;
                Ok(Some((File::Grf, start)))
            }
        }
    }

    /// Writes the enabled elements of a destination: `bits(channel)`, right-aligned.
    pub fn store_bits(
        &mut self,
        dst: &Dest,
        lanes: usize,
        enabled: u32,
        bits: impl Fn(usize) -> u64,
    ) -> Result<(), Cause> {
        if enabled == 0 {
            return Ok(());
        }
        let Some((file, start)) = self.place(dst)? else {
            return Ok(());
        };
        let step = usize::from(dst.step);
        let size = dst.ty.bytes() as usize;
        {
            let bytes = self.file_mut(file);
            macro_rules! write {
                ($t:ty) => {
                    for lane in (0..lanes).filter(|lane| enabled >> lane & 1 != 0) {
                        let at = start + lane * step;
                        let room = bytes.len();
                        let Some(element) = bytes.get_mut(at..).and_then(|b| b.first_chunk_mut())
                        else {
                            return Err(Cause::RegisterRange { at, size: room });
                        };
                        *element = (bits(lane) as $t).to_le_bytes();
                    }
                };
            }
            match size {
                1 => write!(u8),
                2 => write!(u16),
                4 => write!(u32),
                _ => write!(u64),
            }
        }
        match file {
            File::Control => self.change_mode()?,
            File::Acc => {
                for lane in (0..lanes).filter(|lane| enabled >> lane & 1 != 0) {
                    self.acc.forget_wide(start + lane * step, size);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes integers, clamped or wrapped to the destination's type; a float destination receives the number.
    /// `values` returns the stored values, for conditions.
    pub fn store_int<T: Int>(
        &mut self,
        dst: &Dest,
        lanes: usize,
        enabled: u32,
        saturate: bool,
        values: &mut Lanes<T>,
    ) -> Result<(), Cause> {
        let ty = dst.ty;
        if ty.is_float() {
            let mode = self.mode.rounding;
            let round = |v: T, format| Wide::from_int(v.to_i128()).round(format, mode);
            let (format, up) = narrow_format(ty).unwrap_or(match ty {
                Type::Hf => (wide::HF, 0),
                Type::Df => (wide::DF, 0),
                _ => (wide::F, 0),
            });
            if saturate {
                for v in &mut values[..lanes] {
                    *v = (*v).clamp(T::default(), T::from_i64(1));
                }
            }
            return self.store_bits(dst, lanes, enabled, |lane| {
                round(values[lane], format) << up
            });
        }
        if let Target::File {
            file: File::Acc,
            at,
        } = dst.target
        {
            return self.store_acc(dst, usize::from(at), lanes, enabled, saturate, values);
        }
        if saturate {
            let (low, high) = int_range(ty);
            for v in &mut values[..lanes] {
                let clamped = v.to_i128().clamp(low, high);
                *v = T::from_u64(clamped as u64);
            }
        }
        for v in &mut values[..lanes] {
            *v = wrap(*v, ty);
        }
        self.store_bits(dst, lanes, enabled, |lane| values[lane].low())
    }

    /// Writes integers to an accumulator, with the bits beyond their type.
    fn store_acc<T: Int>(
        &mut self,
        dst: &Dest,
        start: usize,
        lanes: usize,
        enabled: u32,
        saturate: bool,
        values: &mut Lanes<T>,
    ) -> Result<(), Cause> {
        let (low, high) = int_range(dst.ty);
        if saturate {
            for v in &mut values[..lanes] {
                *v = T::from_u64(v.to_i128().clamp(low, high) as u64);
            }
        }
        self.store_bits(dst, lanes, enabled, |lane| values[lane].low())?;
        let size = dst.ty.bytes() as usize;
        let step = usize::from(dst.step);
        for lane in (0..lanes).filter(|lane| enabled >> lane & 1 != 0) {
            let at = start + lane * step;
            if let Some(wide) = self.acc.wide_mut(at, size) {
                *wide = values[lane].low() as i64;
            }
        }
        Ok(())
    }

    /// Writes doubles, converted to the destination's type. `values` returns the stored values.
    pub fn store_f64(
        &mut self,
        dst: &Dest,
        lanes: usize,
        enabled: u32,
        saturate: bool,
        values: &mut Lanes<f64>,
    ) -> Result<(), Cause> {
        if saturate && dst.ty.is_float() {
            for v in &mut values[..lanes] {
                *v = saturated(*v);
            }
        }
        match dst.ty {
            Type::Df => {
                let flush = self.mode.flush_df;
                for v in &mut values[..lanes] {
                    *v = flushed_df(*v, flush);
                }
                self.store_bits(dst, lanes, enabled, |lane| values[lane].to_bits())
            }
            Type::Nf => {
                let single = |v: f64| u64::from((v as f32).to_bits());
                self.store_bits(dst, lanes, enabled, |lane| single(values[lane]))?;
                if let Target::File {
                    file: File::Acc,
                    at,
                } = dst.target
                {
                    for lane in (0..lanes).filter(|lane| enabled >> lane & 1 != 0) {
                        let at = usize::from(at) + lane * usize::from(dst.step);
                        if let Some(wide) = self.acc.wide_mut(at, 4) {
                            *wide = values[lane].to_bits() as i64;
                        }
                    }
                }
                Ok(())
            }
            Type::F => {
                for v in &mut values[..lanes] {
                    *v = f64::from(self.to_f(*v));
                }
                self.store_bits(dst, lanes, enabled, |lane| {
                    u64::from((values[lane] as f32).to_bits())
                })
            }
            Type::Hf => {
                let mut halves = [0; LANES];
                for (half, v) in halves.iter_mut().zip(values.iter_mut()).take(lanes) {
                    *half = u64::from(self.to_hf(*v));
                    *v = half::f16::from_bits(*half as u16).to_f64();
                }
                self.store_bits(dst, lanes, enabled, |lane| halves[lane])
            }
            ty @ (Type::Bf | Type::Tf32 | Type::Bf8) => {
                let (format, up) = narrow_format(ty).unwrap_or((wide::F, 0));
                let mode = self.mode.rounding;
                let mut bits = [0; LANES];
                for (bits, v) in bits.iter_mut().zip(values.iter_mut()).take(lanes) {
                    *bits = Wide::from_f64(*v).round(format, mode) << up;
                    *v = f64::from(number_of(*bits, ty));
                }
                self.store_bits(dst, lanes, enabled, |lane| bits[lane])
            }
            ty => {
                // Integers are truncated toward zero and clamped; a NaN becomes zero.
                let (low, high) = int_range(ty);
                let mut ints = [0i128; LANES];
                for (int, v) in ints.iter_mut().zip(values.iter_mut()).take(lanes) {
                    *int = (*v as i128).clamp(low, high);
                    *v = *int as f64;
                }
                self.store_int(dst, lanes, enabled, false, &mut ints)
            }
        }
    }

    /// Writes singles, converted to the destination's type. `values` returns the stored values.
    pub fn store_f32(
        &mut self,
        dst: &Dest,
        lanes: usize,
        enabled: u32,
        saturate: bool,
        values: &mut Lanes<f32>,
    ) -> Result<(), Cause> {
        if dst.ty != Type::F {
            let mut doubles = values.map(f64::from);
            self.store_f64(dst, lanes, enabled, saturate, &mut doubles)?;
            for (v, d) in values.iter_mut().zip(doubles) {
                *v = d as f32;
            }
            return Ok(());
        }
        let flush = self.mode.flush_f;
        for v in &mut values[..lanes] {
            if saturate {
                *v = saturated(f64::from(*v)) as f32;
            }
            *v = flushed_f(*v, flush);
        }
        self.store_bits(dst, lanes, enabled, |lane| {
            u64::from(values[lane].to_bits())
        })
    }
}

/// Applies a source's modifiers to floats.
fn sign<T: Copy + std::ops::Neg<Output = T>>(src: &Source, values: &mut [T], abs: fn(T) -> T) {
    if src.abs {
        values.iter_mut().for_each(|v| *v = abs(*v));
    }
    if src.neg {
        values.iter_mut().for_each(|v| *v = -*v);
    }
}
