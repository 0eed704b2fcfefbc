//! Names by which people and tools say platforms: releases, devices, numbers of the architecture, and products.
//!
//! Each name stands in one row, besides those in the platforms' own rows. Devices and numbers are those of the reference
//! offline compiler, names of products those of the driver, without what all of them share (`Intel`, marks, `Graphics`).

/// A row of names.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// Name of the platform.
    pub platform: &'static str,
    /// Names of the architecture, its release or a device; `-` and `_` are the same.
    pub names: &'static [&'static str],
    /// Numbers of the architecture: its version and release. A revision may follow.
    pub numbers: &'static [(u32, u32)],
    /// Names that it is sold by.
    pub sold_as: &'static [&'static str],
}

/// The rows, in the order of platforms.
#[rustfmt::skip]
pub const PRODUCTS: &[Product] = &[
    Product {
        platform: "skl",
        names: &["gen9", "skylake", "kabylake", "coffeelake"],
        numbers: &[(9, 0), (9, 1), (9, 2)],
        sold_as: &["HD 510", "HD 515", "HD 520", "HD 530", "HD 620", "HD 630", "UHD 610", "UHD 617", "UHD 620", "UHD 630"],
    },
    Product { platform: "bxt", names: &["broxton", "apl", "geminilake"], numbers: &[(9, 3), (9, 4)], sold_as: &["HD 500", "HD 505", "UHD 600", "UHD 605"] },
    Product { platform: "icllp", names: &["gen11", "icelake"], numbers: &[(11, 0)], sold_as: &["Iris Plus"] },
    Product {
        platform: "tgllp",
        names: &["gen12lp", "xe-lp", "tigerlake", "adl-s", "rpl-s", "adl-p", "rpl-p", "adl-n"],
        numbers: &[(12, 0), (12, 1), (12, 2), (12, 3), (12, 4), (12, 10)],
        sold_as: &["UHD 710", "UHD 730", "UHD 750", "UHD 770", "Iris Xe", "Iris Xe MAX"],
    },
    Product {
        platform: "dg2",
        names: &["xe-hpg", "alchemist", "acm-g10", "acm-g11", "acm-g12", "dg2-g10", "dg2-g11", "dg2-g12", "ats-m150", "ats-m75"],
        numbers: &[(12, 55), (12, 56), (12, 57)],
        sold_as: &[
            "Arc A310", "Arc A350M", "Arc A370M", "Arc A380", "Arc A530M", "Arc A550M", "Arc A570M", "Arc A580", "Arc A730M", "Arc A750",
            "Arc A770", "Arc A770M", "Arc Pro A30M", "Arc Pro A40", "Arc Pro A50", "Arc Pro A60", "Arc Pro A60M", "Data Center Flex 140",
            "Data Center Flex 170",
        ],
    },
    Product {
        platform: "mtl",
        names: &[
            "xe-lpg", "xe-lpgplus", "meteorlake", "arrowlake", "mtl-u", "mtl-s", "mtl-m", "mtl-h", "mtl-p", "arl-u", "arl-s", "arl-h",
        ],
        numbers: &[(12, 70), (12, 71), (12, 74)],
        sold_as: &[],
    },
    Product {
        platform: "pvc",
        names: &["xe-hpc", "xe-hpc-vg", "pontevecchio", "pvc-sdv", "pvc-vg", "pvc-xl", "pvc-xt"],
        numbers: &[(12, 60), (12, 61)],
        sold_as: &["Data Center Max 1100", "Data Center Max 1350", "Data Center Max 1450", "Data Center Max 1550"],
    },
    Product { platform: "lnl", names: &["xe2-lpg", "lunarlake", "lnl-m"], numbers: &[(20, 4)], sold_as: &["Arc 130V", "Arc 140V"] },
    Product {
        platform: "bmg",
        names: &["xe2-hpg", "battlemage", "bmg-g21", "bmg-g31"],
        numbers: &[(20, 1), (20, 2)],
        sold_as: &["Arc B570", "Arc B580", "Arc Pro B50", "Arc Pro B60", "Arc Pro B65", "Arc Pro B70"],
    },
    Product {
        platform: "ptl",
        names: &["xe3-lpg", "pantherlake", "wildcatlake", "ptl-h", "ptl-u"],
        numbers: &[(30, 0), (30, 1), (30, 3)],
        sold_as: &["Arc B370", "Arc B390"],
    },
];

/// Words of a product's name that tell nothing.
const SHARED: [&str; 7] = ["intel", "(r)", "(tm)", "graphics", "gpu", "series", "core"];

/// The name of the platform that a name says, in either case of its letters.
pub fn platform_of(name: &str) -> Option<&'static str> {
    let name = name.trim().to_ascii_lowercase();
    if let Some(numbers) = numbers(&name) {
        return row(|product| product.numbers.contains(&numbers));
    }
    let device = name.replace('_', "-");
    // A stepping may follow, as in `dg2-g10-c0`.
    let stepped = device
        .rsplit_once('-')
        .filter(|(_, step)| is_stepping(step));
    let known = |device: &str| row(|product| product.names.contains(&device));
    known(&device).or_else(|| known(stepped?.0)).or_else(|| {
        let wanted = plain(&name);
        let sold = |sold: &&str| !wanted.is_empty() && plain(sold) == wanted;
        row(|product| product.sold_as.iter().any(sold))
    })
}

fn row(is: impl Fn(&Product) -> bool) -> Option<&'static str> {
    let found = PRODUCTS.iter().find(|product| is(product));
    found.map(|product| product.platform)
}

/// Version and release of `12.55` or `12.55.8`.
fn numbers(name: &str) -> Option<(u32, u32)> {
    let mut parts = name.split('.').map(|part| part.parse().ok());
    let numbers = (parts.next()??, parts.next()??);
    let revision: Option<Option<u32>> = parts.next();
    let rest = revision.is_none_or(|revision| revision.is_some()) && parts.next().is_none();
    rest.then_some(numbers)
}

fn is_stepping(text: &str) -> bool {
    let mut chars = text.chars();
    let letter = chars.next().is_some_and(|c| c.is_ascii_lowercase());
    let digit = chars.next().is_some_and(|c| c.is_ascii_digit());
    letter && digit && matches!(chars.as_str(), "" | "p")
}

/// A product's name without what all of them share.
fn plain(name: &str) -> String {
    let mut name = name.to_ascii_lowercase();
    for shared in SHARED {
        name = name.replace(shared, " ");
    }
    name.retain(|c| c.is_ascii_alphanumeric());
    name
}

#[cfg(test)]
#[path = "tests/products.rs"]
mod tests;
