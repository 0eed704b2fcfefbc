use super::*;
use crate::encoding::{decode, family_spec};
use crate::platform::PLATFORMS;

/// Decodes random instructions of each platform and encodes them for all platforms, where about half are errors.
#[test]
fn tables_that_are_constants_say_what_tables_say() {
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        state ^ state >> 32
    };
    let [mut good, mut bad] = [0, 0];
    for from in PLATFORMS {
        let header = &family_spec(from.family).align1.header;
        for own in family_spec(from.family).ops.iter().cycle().take(20_000) {
            let bits = u128::from(random()) << 64 | u128::from(random());
            let bits = bits & !header.opcode.mask() & !header.compact.mask();
            let word = bits | header.opcode.place(own.code.into());
            let Ok(inst) = decode(&word.to_le_bytes(), from) else {
                continue;
            };
            for to in PLATFORMS {
                let spec = family_spec(to.family);
                let Some(op) = spec.op(inst.op) else { continue };
                let other = Any::of(&inst, op, spec);
                let basic = matches!(op.form, Form::Unary | Form::Binary | Form::Math);
                // Three-source instructions without Align16 are converted first on some families.
                let three =
                    op.form == Form::Ternary && (!spec.align16_ternary || inst.opts.align16);
                if !basic && !three {
                    continue;
                }
                let known = run(&inst, op, to);
                let any = Encoder::new(&inst, op, other, to).run();
                assert_eq!(known, any, "{inst:?} of {} on {}", from.name, to.name);
                match known {
                    Ok(_) => good += 1,
                    Err(_) => bad += 1,
                }
            }
        }
    }
    assert!(good > 10_000 && bad > 10_000, "{good} and {bad}");
}
