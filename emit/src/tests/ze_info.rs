use super::*;

const DOCUMENT: &str = "---
version:         '1.20'
kernels:
  - name:            k
    execution_env:
      grf_count:       128
      simd_size:       16
      has_dpas:        true
      work_group_walk_order_dimensions:
        - 0
        - 2
        - 1
    payload_arguments:
      - arg_type:        arg_bypointer
        offset:          0
        size:            0
        arg_index:       3
        addrmode:        stateful
        addrspace:       global
        access_type:     readonly
        is_pipe:         true
      - arg_type:        rt_global_buffer
        offset:          8
        size:            8
    inline_samplers:
      - sampler_index:   2
        addrmode:        repeat
kernels_misc_info:
  - name:            k
    args_info:
      - index:           0
        type_name:       'char;1'
        type_qualifiers: const restrict
...
";

#[test]
fn a_simd_size_that_no_kernel_has_is_an_error() {
    let with = |size: &str| {
        let env = format!("{{grf_count: 128, simd_size: {size}}}");
        let kernels = format!("[{{name: k, execution_env: {env}}}]");
        ZeInfo::parse(format!("version: '1.8'\nkernels: {kernels}\n").as_bytes())
    };
    assert!(with("32").is_ok());
    let error = with("7").unwrap_err().to_string();
    assert_eq!(
        error,
        ".ze_info: kernel k: simd_size 7, 1, 8, 16 or 32 expected"
    );
}

#[test]
fn known_keys_are_read_and_unknown_ones_survive_writing() {
    let info = ZeInfo::parse(DOCUMENT.as_bytes()).unwrap();
    let k = info.kernel("k").unwrap();
    assert_eq!(
        (k.execution_env.grf_count, k.execution_env.simd_size),
        (128, 16)
    );
    assert_eq!(k.payload_arguments[0].addrmode, Some(AddrMode::Stateful));
    assert_eq!(k.payload_arguments[0].arg_index, Some(3));
    assert_eq!(
        k.payload_arguments[1].arg_type,
        ArgType::Other("rt_global_buffer".into())
    );
    let written = info.to_yaml().unwrap();
    assert!(
        written.contains("\n    payload_arguments:\n      - arg_type: arg_bypointer\n"),
        "{written}"
    );
    assert!(
        written.contains("work_group_walk_order_dimensions: [0, 2, 1]\n"),
        "{written}"
    );
    for key in [
        "has_dpas: true",
        "is_pipe: true",
        "inline_samplers",
        "kernels_misc_info",
        "'1.20'",
        "type_name: 'char;1'\n",
        "type_qualifiers: const restrict\n",
    ] {
        assert!(written.contains(key), "{key} lost in\n{written}");
    }
    assert_eq!(ZeInfo::parse(written.as_bytes()).unwrap(), info);
}

#[test]
fn strings_of_any_kind_survive_writing() {
    for name in [
        "",
        " ",
        "a b",
        "1.20",
        "true",
        "null",
        "~",
        "- x",
        "a: b",
        "#c",
        "'",
        "\"\\",
        "[a]",
        "{b",
        "x,y",
        "line\nline",
        "tab\there",
        "\u{85}",
        "\u{2028}",
        "é",
        "\u{1f600}",
        "a\r",
        "*x",
        "&y",
        "!z",
        "%",
        "@",
        "|",
        ">",
    ] {
        let kernel = Kernel {
            name: name.to_string(),
            ..Kernel::default()
        };
        let mut info = ZeInfo {
            version: name.to_string(),
            kernels: vec![kernel],
            ..ZeInfo::default()
        };
        info.other
            .insert("list".into(), Value::Sequence(vec![name.into(), 7.into()]));
        info.other
            .insert("empty".into(), Value::Mapping(Mapping::new()));
        let written = info.to_yaml().unwrap();
        assert_eq!(
            ZeInfo::parse(written.as_bytes()).expect(&written),
            info,
            "{written}"
        );
    }
}

#[test]
fn what_is_not_a_document_is_an_error() {
    for bad in ["", "version: '1'\nkernels: 7", "{", "\u{0}", "version: 'x"] {
        assert!(ZeInfo::parse(bad.as_bytes()).is_err(), "{bad:?}");
    }
}
