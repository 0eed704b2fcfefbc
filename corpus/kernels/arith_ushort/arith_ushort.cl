//! global 48
//! local 16
//! in a u16 48 edges
//! in b u16 48 edges 3
//! in c u16 48 bits 16
//! out out u16 1248
// Every operator of C on ushort.
kernel void arith_ushort(global const ushort *pa, global const ushort *pb, global const ushort *pc, global ushort *out)
{
    size_t i = get_global_id(0);
    ushort a = pa[i], b = pb[i], c = pc[i];
    ushort d = b == 0 || b == (ushort)-1 ? (ushort)3 : b;
    out[i * 26 + 0] = a + b;
    out[i * 26 + 1] = a - b;
    out[i * 26 + 2] = a * b;
    out[i * 26 + 3] = a / d;
    out[i * 26 + 4] = a % d;
    out[i * 26 + 5] = a << (b & 15);
    out[i * 26 + 6] = a >> (b & 15);
    out[i * 26 + 7] = a & b;
    out[i * 26 + 8] = a | b;
    out[i * 26 + 9] = a ^ b;
    out[i * 26 + 10] = ~a;
    out[i * 26 + 11] = -a;
    out[i * 26 + 12] = a == b;
    out[i * 26 + 13] = a != b;
    out[i * 26 + 14] = a < b;
    out[i * 26 + 15] = a <= b;
    out[i * 26 + 16] = a > b;
    out[i * 26 + 17] = a >= b;
    out[i * 26 + 18] = a ? b : c;
    out[i * 26 + 19] = !a;
    out[i * 26 + 20] = a && b;
    out[i * 26 + 21] = a || c;
    out[i * 26 + 22] = (a < b) ? c : a;
    out[i * 26 + 23] = a * a + b * c;
    out[i * 26 + 24] = (a & c) | (~a & b);
    out[i * 26 + 25] = a++ + --b;
}
