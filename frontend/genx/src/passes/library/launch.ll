; Values of a launch: a thread is a work-item, and a subgroup of its own. A dimension that there is not has id 0 and size 1.

declare <3 x i32> @llvm.genx.local.id.v3i32()
declare <3 x i32> @llvm.genx.local.size.v3i32()
declare <3 x i32> @llvm.genx.group.count.v3i32()
declare i32 @llvm.genx.umulh.i32(i32, i32)
declare i32 @llvm.genx.group.id.x()
declare i32 @llvm.genx.group.id.y()
declare i32 @llvm.genx.group.id.z()

; One of three numbers; another one for a dimension that there is not.
define i32 @one(i32 %dimension, i32 %x, i32 %y, i32 %z, i32 %other) {
  %is.x = icmp eq i32 %dimension, 0
  %is.y = icmp eq i32 %dimension, 1
  %is.z = icmp eq i32 %dimension, 2
  %at.z = select i1 %is.z, i32 %z, i32 %other
  %at.y = select i1 %is.y, i32 %y, i32 %at.z
  %result = select i1 %is.x, i32 %x, i32 %at.y
  ret i32 %result
}

define i32 @local.id.i32(i32 %dimension) {
  %all = call <3 x i32> @llvm.genx.local.id.v3i32()
  %x = extractelement <3 x i32> %all, i32 0
  %y = extractelement <3 x i32> %all, i32 1
  %z = extractelement <3 x i32> %all, i32 2
  %result = call i32 @one(i32 %dimension, i32 %x, i32 %y, i32 %z, i32 0)
  ret i32 %result
}

define i32 @local.size.i32(i32 %dimension) {
  %all = call <3 x i32> @llvm.genx.local.size.v3i32()
  %x = extractelement <3 x i32> %all, i32 0
  %y = extractelement <3 x i32> %all, i32 1
  %z = extractelement <3 x i32> %all, i32 2
  %result = call i32 @one(i32 %dimension, i32 %x, i32 %y, i32 %z, i32 1)
  ret i32 %result
}

define i32 @group.count.i32(i32 %dimension) {
  %all = call <3 x i32> @llvm.genx.group.count.v3i32()
  %x = extractelement <3 x i32> %all, i32 0
  %y = extractelement <3 x i32> %all, i32 1
  %z = extractelement <3 x i32> %all, i32 2
  %result = call i32 @one(i32 %dimension, i32 %x, i32 %y, i32 %z, i32 1)
  ret i32 %result
}

define i32 @group.id.i32(i32 %dimension) {
  %x = call i32 @llvm.genx.group.id.x()
  %y = call i32 @llvm.genx.group.id.y()
  %z = call i32 @llvm.genx.group.id.z()
  %result = call i32 @one(i32 %dimension, i32 %x, i32 %y, i32 %z, i32 0)
  ret i32 %result
}

define i64 @local.id(i32 %dimension) {
  %id = call i32 @local.id.i32(i32 %dimension)
  %result = zext i32 %id to i64
  ret i64 %result
}

define i64 @group.id(i32 %dimension) {
  %id = call i32 @group.id.i32(i32 %dimension)
  %result = zext i32 %id to i64
  ret i64 %result
}

define i64 @local.size(i32 %dimension) {
  %size = call i32 @local.size.i32(i32 %dimension)
  %result = zext i32 %size to i64
  ret i64 %result
}

define i64 @group.count(i32 %dimension) {
  %count = call i32 @group.count.i32(i32 %dimension)
  %result = zext i32 %count to i64
  ret i64 %result
}

define i64 @offset(i32 %dimension) {
  ret i64 0
}

; The whole product of two numbers.
define i64 @product(i32 %a, i32 %b) {
  %low = mul i32 %a, %b
  %high = call i32 @llvm.genx.umulh.i32(i32 %a, i32 %b)
  %first = insertelement <2 x i32> undef, i32 %low, i32 0
  %both = insertelement <2 x i32> %first, i32 %high, i32 1
  %result = bitcast <2 x i32> %both to i64
  ret i64 %result
}

define i64 @global.id(i32 %dimension) {
  %local = call i64 @local.id(i32 %dimension)
  %group = call i32 @group.id.i32(i32 %dimension)
  %size = call i32 @local.size.i32(i32 %dimension)
  %before = call i64 @product(i32 %group, i32 %size)
  %result = add i64 %before, %local
  ret i64 %result
}

define i64 @global.size(i32 %dimension) {
  %size = call i32 @local.size.i32(i32 %dimension)
  %count = call i32 @group.count.i32(i32 %dimension)
  %result = call i64 @product(i32 %size, i32 %count)
  ret i64 %result
}

define i64 @local.linear(i32 %none) {
  %x = call i64 @local.id(i32 0)
  %y = call i64 @local.id(i32 1)
  %z = call i64 @local.id(i32 2)
  %columns = call i64 @local.size(i32 0)
  %rows = call i64 @local.size(i32 1)
  %planes = mul i64 %z, %rows
  %all.rows = add i64 %planes, %y
  %before = mul i64 %all.rows, %columns
  %result = add i64 %before, %x
  ret i64 %result
}

; Row after row of the whole launch, as OpenCL C defines it.
define i64 @global.linear(i32 %none) {
  %x = call i64 @global.id(i32 0)
  %y = call i64 @global.id(i32 1)
  %z = call i64 @global.id(i32 2)
  %columns = call i64 @global.size(i32 0)
  %rows = call i64 @global.size(i32 1)
  %planes = mul i64 %z, %rows
  %all.rows = add i64 %planes, %y
  %before = mul i64 %all.rows, %columns
  %result = add i64 %before, %x
  ret i64 %result
}

define i64 @subgroup.size(i32 %none) {
  ret i64 1
}

define i64 @subgroup.count(i32 %none) {
  %x = call i64 @local.size(i32 0)
  %y = call i64 @local.size(i32 1)
  %z = call i64 @local.size(i32 2)
  %xy = mul i64 %x, %y
  %result = mul i64 %xy, %z
  ret i64 %result
}

define i64 @subgroup.channel(i32 %none) {
  ret i64 0
}
