//! Values of a launch that SPIR-V and OpenCL C name: ids, sizes and numbers of work-items, groups and subgroups.
//!
//! A module reads them as variables, `@__spirv_BuiltInGlobalInvocationId` or one with the decoration `BuiltIn`, or calls them as
//! functions of a dimension. A thread is a work-item, and a subgroup of its own. A launch has no offset. Source: the reference's
//! own definitions of these functions.

/// Prefix of the names of variables and functions.
pub const PREFIX: &str = "__spirv_BuiltIn";
/// Attribute of a variable that a decoration names, whatever the name of the variable.
pub const ATTRIBUTE: &str = "BuiltIn";

/// A value of a launch.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Name in SPIR-V.
    spirv: &'static str,
    /// Functions of OpenCL C.
    opencl: &'static str,
    /// The intrinsic, whose function in the library has the same name without `kiln.launch.`.
    pub intrinsic: &'static str,
    /// True if there is one for each dimension.
    pub has_dimensions: bool,
}

const fn row(
    spirv: &'static str,
    opencl: &'static str,
    intrinsic: &'static str,
    has_dimensions: bool,
) -> Row {
    Row {
        spirv,
        opencl,
        intrinsic,
        has_dimensions,
    }
}

/// All of them. `WorkDim` and the ids of hardware are not among them: no argument of the reference's has them.
pub const ROWS: &[Row] = &[
    row(
        "GlobalInvocationId",
        "get_global_id",
        "kiln.launch.global.id",
        true,
    ),
    row(
        "LocalInvocationId",
        "get_local_id",
        "kiln.launch.local.id",
        true,
    ),
    row("WorkgroupId", "get_group_id", "kiln.launch.group.id", true),
    row(
        "GlobalSize",
        "get_global_size",
        "kiln.launch.global.size",
        true,
    ),
    row(
        "WorkgroupSize",
        "get_local_size",
        "kiln.launch.local.size",
        true,
    ),
    row(
        "EnqueuedWorkgroupSize",
        "get_enqueued_local_size",
        "kiln.launch.local.size",
        true,
    ),
    row(
        "NumWorkgroups",
        "get_num_groups",
        "kiln.launch.group.count",
        true,
    ),
    row(
        "GlobalOffset",
        "get_global_offset",
        "kiln.launch.offset",
        true,
    ),
    row(
        "GlobalLinearId",
        "get_global_linear_id",
        "kiln.launch.global.linear",
        false,
    ),
    row(
        "LocalInvocationIndex",
        "get_local_linear_id",
        "kiln.launch.local.linear",
        false,
    ),
    row(
        "SubgroupSize",
        "get_sub_group_size",
        "kiln.launch.subgroup.size",
        false,
    ),
    row(
        "SubgroupMaxSize",
        "get_max_sub_group_size",
        "kiln.launch.subgroup.size",
        false,
    ),
    row(
        "NumSubgroups",
        "get_num_sub_groups",
        "kiln.launch.subgroup.count",
        false,
    ),
    row(
        "NumEnqueuedSubgroups",
        "get_enqueued_num_sub_groups",
        "kiln.launch.subgroup.count",
        false,
    ),
    row(
        "SubgroupId",
        "get_sub_group_id",
        "kiln.launch.local.linear",
        false,
    ),
    row(
        "SubgroupLocalInvocationId",
        "get_sub_group_local_id",
        "kiln.launch.subgroup.channel",
        false,
    ),
];

/// The value that a variable of a name is.
pub fn variable(name: &str) -> Option<&'static Row> {
    named(name.strip_prefix(PREFIX)?)
}

/// The value of a name in SPIR-V.
pub fn named(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.spirv == name)
}

/// The value that a function gives, by the name before its types.
pub fn function(name: &str) -> Option<&'static Row> {
    variable(name).or_else(|| ROWS.iter().find(|row| row.opencl == name))
}
