//! The catalogue of rules: code, severity, the rule, and the message for a breach.
//!
//! Codes are permanent: the code of a deleted rule is not used again. Source of the rules: the vISA specification
//! (chapters 2 to 5 and the page of each instruction), and the assumptions of instruction selection.

use thiserror::Error;

use crate::module::{LabelKind, Type};

/// Severity of a breach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Legal, but probably unintended.
    Warning,
    /// The module has no defined meaning.
    Error,
}

/// One rule of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// `V0012`.
    pub code: &'static str,
    /// How bad a breach is.
    pub severity: Severity,
    /// The name of its [`FindingKind`].
    pub name: &'static str,
    /// The rule, as a statement that must hold.
    pub holds: &'static str,
}

macro_rules! rules {
    ($($code:literal $severity:ident $holds:literal
        $name:ident { $($field:ident: $ty:ty),* } $message:literal $(, $arg:ident = $value:expr)*;)*) => {
        /// Breach of a rule, and what was found.
        #[derive(Clone, Debug, PartialEq, Eq, Error)]
        #[expect(missing_docs, reason = "the message of each breach names its fields")]
        #[non_exhaustive]
        pub enum FindingKind {
            $(
                #[doc = $holds]
                #[error($message $(, $arg = $value)*)]
                $name { $($field: $ty),* },
            )*
        }

        /// All rules, by code.
        pub const RULES: &[Rule] = &[$(Rule {
            code: $code,
            severity: Severity::$severity,
            name: stringify!($name),
            holds: $holds,
        },)*];

        impl FindingKind {
            /// The code of the rule.
            pub fn code(&self) -> &'static str {
                match self {
                    $(FindingKind::$name { .. } => $code,)*
                }
            }
        }
    };
}

rules! {
    // Structure: declared entities, operands of the row, bounds.
    "V0001" Error "Operands name declared entities."
        Missing { what: &'static str, number: usize }
        "{what} {number} does not exist";
    "V0002" Error "An alias, or a variable that something names, has at least one element."
        Empty { name: String }
        "{name} has no elements, 1 or more are allowed";
    "V0003" Error "A variable is of a type that is not packed."
        VarType { name: String, ty: Type }
        "{name} is of type {ty}, which only immediates have", ty = ty.name();
    "V0004" Error "An alias is of a variable declared before it."
        AliasOrder { name: String }
        "{name} is an alias of a variable declared after it, only earlier ones are allowed";
    "V0005" Error "An alias begins in the variable at the end of its chain, and also ends in it if that is predefined."
        AliasEnd { name: String, base: String, end: u32, size: u32 }
        "{name} goes to byte {end} of {base}, which has {size}";
    "V0006" Error "The channels are of the 32 there are."
        Channels { first: u32, size: u32 }
        "channels {first} to {last} are more than 32", last = first + size - 1;
    "V0007" Error "The execution size is a power of two up to 32."
        ExecSize { size: u8 }
        "an execution size of {size} is none of 1, 2, 4, 8, 16 and 32";
    "V0008" Error "An instruction has the operands of its opcode."
        Count { op: &'static str, found: usize, expected: usize }
        "`{op}` has {found} operands, expected {expected}";
    "V0009" Error "An operand is of a kind that its place allows."
        Kind { op: &'static str, operand: usize, found: &'static str }
        "operand {operand} of `{op}` is {found}, which is not allowed there";
    "V0010" Error "Only instructions that take one have a predicate."
        Predicated { op: &'static str }
        "`{op}` takes no predicate";
    "V0011" Error "Numbers in an instruction are known codes."
        Number { what: &'static str, found: u32 }
        "{what} cannot be {found}";
    "V0012" Error "A region has legal parts."
        Region { operand: usize, part: &'static str, found: u8, allowed: &'static str }
        "operand {operand} has an illegal region: the {part} is {found}, allowed are {allowed}";
    "V0013" Error "Saturation is of destinations, other modifiers of sources."
        Modifier { operand: usize }
        "operand {operand} has a modifier that is not allowed there: destinations have saturation \
         only, sources all others";
    "V0014" Error "A direct access ends in its variable."
        End { operand: usize, name: String, end: u32, size: u32 }
        "operand {operand} goes to byte {end} of {name}, which has {size}";
    "V0015" Error "An access of an array ends in the array."
        Element { operand: usize, name: String, end: u32, size: u32 }
        "operand {operand} goes to element {end} of {name}, which has {size}";
    "V0016" Error "An immediate is of a type that immediates have, and fits."
        Immediate { operand: usize, ty: Type, bits: u64 }
        "operand {operand}: {ty} is no type of an immediate, or {bits:#x} does not fit",
        ty = ty.name();
    "V0017" Error "A label is defined once."
        Defined { name: String, count: usize }
        "label {name} is defined {count} times, once is allowed";
    "V0018" Error "Calls go to subroutines, all others to blocks."
        LabelKind { name: String, op: &'static str, found: LabelKind }
        "label {name} is that of a {found}, which `{op}` does not go to", found = kind_name(*found);

    // Channels, predicates, inputs.
    "V0019" Error "The first channel is a multiple of the execution size."
        MaskOffset { first: u8, size: u8 }
        "{size} channels begin at channel {first}, allowed are multiples of {size}";
    "V0020" Error "A predicate has a bit for each channel."
        PredicateWidth { name: String, elements: u16, first: u8, size: u8 }
        "channels {first} to {last} need {need} bits of {name}, which has {elements}",
        last = u32::from(*first) + u32::from(*size) - 1,
        need = u32::from(*first) + u32::from(*size);
    "V0021" Error "A predicate has 1, 2, 4, 8, 16 or 32 bits."
        PredicateSize { name: String, elements: u16 }
        "{name} has {elements} bits, allowed are 1, 2, 4, 8, 16 and 32";
    "V0022" Error "Inputs do not overlap."
        InputOverlap { name: String, other: String, at: u32 }
        "the inputs {name} and {other} both have byte {at} of the payload, each byte is allowed to \
         be of one";
    "V0023" Error "An input fits into its variable."
        InputSize { name: String, size: u32, room: u32 }
        "the input {name} has {size} bytes, its variable has {room}";
    "V0024" Error "A region's width is at most the execution size."
        RegionWidth { operand: usize, width: u8, size: u8 }
        "operand {operand} has a region of width {width}, {size} channels allow at most {size}";
    "V0025" Error "and, or, xor and not complement; all others negate and take absolute values."
        ModifierKind { op: &'static str, operand: usize, found: &'static str, allowed: &'static str }
        "operand {operand} of `{op}` has the modifier {found}, allowed is {allowed}";
    "V0026" Error "Read-only variables are not written."
        ReadOnly { operand: usize, name: String }
        "operand {operand} writes {name}, which can only be read";

    // Calls.
    "V0027" Error "A call has the sizes that its callee declares."
        CallSize { callee: String, what: &'static str, found: u32, declared: u32 }
        "the {what} of the call is {found} GRFs, {callee} declares {declared}";
    "V0028" Error "Argument and return value fit into %arg and %retval."
        CallLimit { what: &'static str, found: u32, most: u32 }
        "the {what} is {found} GRFs, {most} are allowed";
    "V0029" Error "A scalar call is NoMask."
        ScalarCall { op: &'static str }
        "`{op}` of one channel looks at the execution mask, only NoMask (`M1_NM`) is allowed";
    "V0030" Error "The address of an indirect call is a scalar of type ud or uq."
        CallAddress { found: String }
        "the address of the call is {found}, a scalar of type ud or uq is allowed";
    "V0031" Error "The address of a function is taken into a scalar of type ud or uq."
        FaddrType { found: String }
        "the destination of the address is {found}, a scalar of type ud or uq is allowed";
    "V0032" Error "Calls and addresses are of functions."
        Callee { op: &'static str, name: String }
        "`{op}` names the kernel {name}, only functions are allowed";
    "V0033" Error "Some function whose address is taken has the sizes of an indirect call."
        IndirectSize { arg: u32, ret: u32 }
        "no function whose address is taken has {arg} GRFs of arguments and {ret} of return value";
    "V0034" Error "Functions return with fret, kernels with ret."
        Fret { kernel: String }
        "`fret` stands in the kernel {kernel}, only functions have it";
    "V0035" Error "A jump has one channel."
        ScalarJump { size: u8 }
        "`jmp` has {size} channels, 1 is allowed";
    "V0036" Error "A jump stays in its subroutine."
        JumpOut { op: &'static str, name: String }
        "`{op}` goes to {name} in another subroutine, only labels of its own are allowed";
    "V0037" Warning "Control does not run out of an object."
        NoEnd { op: &'static str }
        "the last instruction is `{op}`, allowed are a return, a jump and a label";
    "V0038" Error "Two objects of a kind have two names."
        Names { name: String }
        "{name} is the name of two objects";

    // Messages.
    "V0039" Error "raw_send sends 1 to 15 GRFs."
        SendSource { op: &'static str, what: &'static str, found: u32, least: u32, most: u32 }
        "`{op}` sends {found} GRFs ({what}), allowed are {least} to {most}";
    "V0040" Error "raw_send gets 0 to 16 GRFs, raw_sends 0 to 31."
        SendDestination { op: &'static str, found: u32, most: u32 }
        "`{op}` gets {found} GRFs (NumDst), allowed are 0 to {most}";
    "V0041" Error "A message descriptor is of type ud."
        Descriptor { op: &'static str, operand: usize, found: String }
        "operand {operand} of `{op}` is a descriptor and is {found}, a scalar of type ud is allowed";
    "V0042" Error "Accesses of a message end in their variables."
        Payload { operand: usize, name: String, end: u32, size: u32 }
        "the message goes to byte {end} of {name} by operand {operand}, which has {size}";
    "V0043" Error "The platform has the instruction."
        Platform { op: &'static str, platform: &'static str }
        "`{op}` does not exist on {platform}";

    // Types and attributes.
    "V0044" Error "An operand is of a type that its instruction has there."
        OperandType { op: &'static str, operand: usize, ty: Type, allowed: String }
        "operand {operand} of `{op}` is of type {ty}, allowed is {allowed}", ty = ty.name();
    "V0045" Error "The types of an instruction's operands go together."
        TypeMix { op: &'static str, operand: usize, ty: Type, beside: String, allowed: String }
        "operand {operand} of `{op}` is of type {ty}, with {beside} allowed is {allowed}",
        ty = ty.name();
    "V0046" Error "SimdSize is 1, 8, 16 or 32."
        SimdSize { found: i64 }
        "SimdSize is {found}, allowed are 1, 8, 16 and 32";
    "V0047" Error "Only an indirect source has several addresses."
        MultiAddress { operand: usize }
        "operand {operand} has a region of several addresses (`<w,h>`), only indirect sources are \
         allowed to";

    // Declarations.
    "V0048" Error "An alias begins at a multiple of its type's size."
        AliasAlign { name: String, offset: u32, bytes: u32 }
        "{name} begins at byte {offset} of what it is an alias of, its type allows multiples of \
         {bytes}";
    "V0049" Error "A variable fits into the register file."
        VarSize { name: String, bytes: u32, most: u32 }
        "{name} has {bytes} bytes, {most} are allowed";
    "V0050" Error "An address variable has 1 to 16 elements, from Ponte Vecchio on 32."
        AddressSize { name: String, elements: u32, most: u32 }
        "{name} has {elements} elements, allowed are 1 to {most}";
    "V0051" Error "An input has its place in the register file."
        InputPlace { name: String, what: &'static str, found: u32, allowed: String }
        "the {what} of the input {name} is {found}, {allowed}";
    "V0052" Error "An input is a variable of its own, not an alias and not predefined."
        InputVar { name: String, found: &'static str }
        "the input {name} is {found}, only declared variables without alias are allowed";
    "V0053" Error "An attribute is given once."
        AttrTwice { name: &'static str, count: usize }
        "{name} is given {count} times, once is allowed";


    // Single instructions.
    "V0054" Error "A platform has the types of an instruction."
        PlatformType { op: &'static str, operand: usize, ty: Type, platform: &'static str }
        "operand {operand} of `{op}` is of type {ty}, which it does not have on {platform}",
        ty = ty.name();
    "V0055" Error "An instruction has one of its execution sizes."
        OpSize { op: &'static str, found: u8, allowed: String }
        "`{op}` has {found} channels, allowed are {allowed}";
    "V0056" Error "Some conversions and roundings are NoMask."
        NoMaskOnly { op: &'static str }
        "`{op}` looks at the execution mask, only NoMask (`M1_NM`) is allowed";
    "V0057" Error "Logic on predicates has predicates as operands, and is not predicated."
        PredicateLogic { op: &'static str, found: &'static str }
        "`{op}` works on predicates and has {found}, only predicates and no guard are allowed";
    "V0058" Error "A predicate is moved by one channel into an integer that has room for it."
        PredicateMove { found: String, allowed: &'static str }
        "a predicate is moved with {found}, allowed is {allowed}";
    "V0059" Error "movs moves the state of surfaces or samplers."
        StateMove { found: &'static str }
        "`movs` moves {found}, one of its operands is to be a surface or a sampler, and if both \
         are, both of one kind";
    "V0060" Error "Addresses are of declared variables."
        AddressOf { name: String }
        "the address of {name} is taken, which is predefined; allowed are declared variables, %arg \
         and %retval";
    "V0061" Error "The offset of an indirect access is -512 to 511."
        IndirectOffset { operand: usize, found: i16 }
        "operand {operand} has an offset of {found} bytes, allowed are -512 to 511";
    "V0062" Error "A number among the operands is in its range."
        Range { what: &'static str, found: u64, least: u64, most: u64 }
        "{what} is {found}, allowed are {least} to {most}";
    "V0063" Error "switchjmp has 1 to 32 labels."
        Labels { found: usize }
        "`switchjmp` has {found} labels, allowed are 1 to 32";
    "V0064" Error "dpas has types and precisions that go together."
        DpasTypes { op: &'static str, found: String, allowed: &'static str }
        "`{op}` has {found}, allowed is {allowed}";
    "V0065" Error "dpas has a depth of 8 and repeats 1 to 8 times."
        DpasShape { op: &'static str, what: &'static str, found: u32, allowed: &'static str }
        "`{op}` has a {what} of {found}, allowed is {allowed}";

    // Messages.
    "V0066" Error "A raw operand of a register or more begins at a register."
        RawAlign { operand: usize, name: String, offset: u32, grf: u32 }
        "operand {operand} begins at byte {offset} of {name}, allowed are multiples of {grf}";
    "V0067" Error "A message accesses a surface that it supports."
        SurfaceKind { op: &'static str, name: String, allowed: &'static str }
        "`{op}` is to {name}, allowed are {allowed}";
    "V0068" Error "Operands that a message needs are present, all others are %null."
        Null { op: &'static str, operand: usize, found: &'static str, expected: &'static str }
        "operand {operand} of `{op}` is {found}, this operation allows {expected}";
    "V0069" Error "A sampler message has no more parameters than its operation."
        Parameters { op: &'static str, found: usize, most: usize }
        "`{op}` has {found} parameters, this operation has 1 to {most}";
    "V0070" Error "The parameters of the sampler are of one type, that of the operation."
        ParameterType { operand: usize, ty: Type, allowed: String }
        "operand {operand} is a parameter of type {ty}, allowed is {allowed}", ty = ty.name();
    "V0071" Error "A block of a surface is at most 256 bytes, of 64 bytes a row."
        MediaBlock { op: &'static str, width: u32, height: u32, most: u32 }
        "`{op}` has a block of {width} bytes in {height} rows, rows of {width} bytes allow 1 to \
         {most} rows, and rows have 1 to 64 bytes";
    "V0072" Error "The data of an atomic is of the type of its operation."
        AtomicType { operand: usize, ty: Type, allowed: String }
        "operand {operand} is of type {ty}, this operation of an atomic allows {allowed}",
        ty = ty.name();
    "V0073" Error "The number of blocks fits their size and the channels."
        BlockCount { op: &'static str, blocks: u32, allowed: &'static str }
        "`{op}` has {blocks} blocks a channel, which is for {allowed} only";

    // LSC.
    "V0074" Error "LSC messages have an existing combination of cache policies."
        LscCaching { op: &'static str, l1: &'static str, l3: &'static str, allowed: &'static str }
        "`{op}` has the caching .{l1}.{l3}, allowed are {allowed}";
    "V0075" Error "LSC addresses are of a size and kind that their unit has."
        LscAddress { what: &'static str, found: &'static str, unit: &'static str, allowed: &'static str }
        "the {what} is {found} on {unit}, allowed is {allowed}";
    "V0076" Error "LSC addresses are of a type of the address's size."
        LscAddressType { operand: usize, ty: Type, allowed: String }
        "operand {operand} is an address of type {ty}, its size allows {allowed}", ty = ty.name();
    "V0077" Error "LSC data has a shape that its operation and unit have."
        LscShape { op: &'static str, what: &'static str, found: String, allowed: &'static str }
        "`{op}` has {what} {found}, allowed is {allowed}";
    "V0078" Error "A block of two dimensions has a legal shape."
        LscBlock { op: &'static str, what: &'static str, found: u32, allowed: &'static str }
        "`{op}` has a block with {what} {found}, allowed is {allowed}";
    "V0079" Error "The fence of local memory is of its group and does nothing to caches."
        LscFence { what: &'static str, found: &'static str, allowed: &'static str }
        "`lsc_fence.slm` has the {what} {found}, allowed is {allowed}";

    // Attributes again.
    "V0080" Error "An attribute has an allowed value."
        AttrValue { name: &'static str, found: String, allowed: &'static str }
        "{name} is {found}, allowed are {allowed}";

    // Declarations again.
    "V0081" Error "A declared sampler has a number of its own."
        SamplerCount { count: usize, most: u32 }
        "{count} samplers are declared, {most} at most: the number of the next is that of the \
         bindless sampler";

    // Calls again.
    "V0082" Error "A subroutine does not call itself: it has no stack for that."
        Cycle { name: String }
        "the call of {name} leads back to itself, and subroutines have no stack for that";

    // Code of the reference compiler that has a meaning unless something depends on it.
    "V0083" Warning "A call passes all arguments that its callee declares."
        CallLess { callee: String, found: u32, declared: u32 }
        "the call passes {found} GRFs and {callee} declares {declared}: the others are \
         undefined";
    "V0084" Warning "A predicate that nothing writes has a bit for each channel."
        PredicateUnwritten { name: String, elements: u16, need: u32 }
        "{name} has {elements} bits and is read for {need} channels, and nothing writes it: the channels \
         that it selects are undefined";
    "V0085" Warning "A sum of 64 bits is of integers or of floats."
        MixedSum { op: &'static str }
        "`{op}` of integers and floats is one of floats: the integers are converted";
    "V0086" Warning "An average is of at most 32 bits."
        LongAverage { op: &'static str }
        "`{op}` of 64-bit integers is one of no platform: it takes several instructions";

    // Single instructions again.
    "V0087" Error "A selection has a predicate."
        Unpredicated { op: &'static str }
        "`{op}` has no predicate, which selects the source of each channel";
    "V0088" Warning "A rotation has no source modifiers."
        ModifiedRotation { op: &'static str, operand: usize, found: &'static str }
        "operand {operand} of `{op}` has the modifier {found}, which rotations do not have: it takes \
         another instruction";
    "V0089" Error "A platform has the precisions of dpas."
        PlatformPrecision { op: &'static str, precision: String, platform: &'static str }
        "`{op}` has the precision {precision}, which it does not have on {platform}";

    // Messages again.
    "V0090" Error "The channels of a message are a group that the platform's masks name."
        MessageChannels { op: &'static str, first: u8, size: u8, step: u8, platform: &'static str }
        "`{op}` has {size} channels from channel {first} on, masks of messages on {platform} begin at multiples \
         of {step}";
    "V0091" Warning "A raw send goes to a shared function that the platform has."
        SharedFunction { op: &'static str, function: u8, platform: &'static str }
        "`{op}` goes to the shared function {function}, which {platform} lacks: it is passed on as it is";

    // Whole modules.
    "V0092" Error "vISA is written for the size of the platform's registers."
        OtherRegisters { written: u32, platform: &'static str, found: u32 }
        "it is written for registers of {written} bytes, and those of {platform} have {found}: compile \
         the source for this platform";
    "V0093" Error "vISA is written for the platform's instructions."
        OtherPlatform { platform: &'static str, count: usize }
        "it is written for another family than {platform}, which lacks {count} of its instructions or types; the first \
         follow";

    // Variables again.
    "V0094" Warning "An alias ends in the variable at the end of its chain."
        AliasPast { name: String, base: String, end: u32, size: u32 }
        "{name} goes to byte {end} of {base}, which has {size}: no access may go there";
}

fn kind_name(kind: LabelKind) -> &'static str {
    match kind {
        LabelKind::Block => "block",
        LabelKind::Subroutine => "subroutine",
        LabelKind::Kernel => "kernel of another module",
    }
}

impl FindingKind {
    /// Rule that is broken.
    pub fn rule(&self) -> &'static Rule {
        let code = self.code();
        let at = RULES.partition_point(|rule| rule.code < code);
        &RULES[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_without_gap() {
        for (i, rule) in RULES.iter().enumerate() {
            assert_eq!(rule.code, format!("V{:04}", i + 1), "{}", rule.name);
        }
    }
}
