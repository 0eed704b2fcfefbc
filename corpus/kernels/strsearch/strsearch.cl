//! global 96
//! local 32
//! in text u8 112 range 97 99
//! in pat u8 6 list 97 98 97 97 99 98
//! val u32 3
//! out hit u8 96
//! out first u32 1
//! out n u32 1
kernel void strsearch(global const uchar *text, constant uchar *pat, uint len, global uchar *hit, global uint *first, global uint *n)
{
    uint i = get_global_id(0), k = 0;
    while (k < len && text[i + k] == pat[k]) k++;
    hit[i] = k;
    if (k == len) { atomic_add(n, 1u); atomic_max(first, 1000u - i); }
}
