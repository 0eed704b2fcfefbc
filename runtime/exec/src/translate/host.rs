//! The host, whose code is made.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Features of a host that code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
    /// AVX2, FMA and F16C.
    Avx2,
}

/// True once [`Host::leave_out_avx512`] was called.
static WITHOUT_AVX512: AtomicBool = AtomicBool::new(false);

impl Host {
    /// The best features that this host has; none if it cannot execute translated code.
    pub fn available() -> Option<Host> {
        macro_rules! has {
            ($($feature:tt),*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
        }
        if !has!("bmi1", "bmi2", "popcnt") {
            return None;
        }
        let avx512 = has!("avx512f", "avx512bw", "avx512dq", "avx512vl");
        if avx512 && !WITHOUT_AVX512.load(Relaxed) {
            return Some(Host::Avx512);
        }
        has!("avx2", "fma", "f16c").then_some(Host::Avx2)
    }

    /// Has the process execute code of AVX2 where it could execute AVX-512, from its first translation on; for tests.
    pub fn leave_out_avx512() {
        WITHOUT_AVX512.store(true, Relaxed);
    }
}
