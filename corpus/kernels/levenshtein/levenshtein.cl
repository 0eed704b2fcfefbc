//! global 24
//! local 8
//! in s u8 288 range 97 101
//! in t u8 16 range 97 101
//! out o u32 24
kernel void levenshtein(global const uchar *s, constant uchar *t, global uint *o)
{
    uint i = get_global_id(0), row[17];
    for (uint k = 0; k <= 16; k++) row[k] = k;
    for (uint a = 0; a < 12; a++) {
        uint diag = row[0];
        row[0] = a + 1;
        for (uint b = 1; b <= 16; b++) {
            uint c = diag + (s[i * 12 + a] != t[b - 1]);
            diag = row[b];
            row[b] = min(c, min(row[b], row[b - 1]) + 1);
        }
    }
    o[i] = row[16];
}
