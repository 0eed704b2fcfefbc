use super::EXPRESSIONS;

/// Value of an expression for the sources' bits in `bits`; consumes the text. `~` binds before `&`, `&` before
/// `^`, `^` before `|`.
fn value(text: &mut &[u8], bits: usize, level: usize) -> bool {
    let Some(operator) = b"|^&".get(level) else {
        return atom(text, bits);
    };
    let mut left = value(text, bits, level + 1);
    while text.first() == Some(operator) {
        *text = &text[1..];
        let right = value(text, bits, level + 1);
        left = match operator {
            b'|' => left | right,
            b'^' => left ^ right,
            _ => left & right,
        };
    }
    left
}

fn atom(text: &mut &[u8], bits: usize) -> bool {
    let (first, rest) = text.split_first().expect("an operand");
    *text = rest;
    match first {
        b'~' => !atom(text, bits),
        b'(' => {
            let inner = value(text, bits, 0);
            *text = &text[1..];
            inner
        }
        _ => {
            let source = usize::from(text[0] - b'0');
            *text = &text[1..];
            bits >> source & 1 != 0
        }
    }
}

#[test]
fn expressions_are_the_functions_of_their_numbers() {
    for (function, text) in EXPRESSIONS.iter().enumerate() {
        for bits in 0..8 {
            let expected = function >> bits & 1 != 0;
            let found = match *text {
                "zeros" => false,
                "ones" => true,
                text => value(&mut text.as_bytes(), bits, 0),
            };
            assert_eq!(found, expected, "{function:#x}: {text} of {bits:03b}");
        }
    }
}
