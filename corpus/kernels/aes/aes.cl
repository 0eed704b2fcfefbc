//! global 16
//! local 8
//! in key u8 16 bits 8
//! in d u8 256 bits 8
//! in sbox u8 256 bits 8
//! out o u8 256
// AES-128's rounds, with any table for the S-box.
uchar xt(uchar a) { return a << 1 ^ (a & 128 ? 0x1b : 0); }
kernel void aes(constant uchar *key, global const uchar *d, constant uchar *sbox, global uchar *o)
{
    uchar s[16], t[16], k[16];
    uint i = get_global_id(0);
    uchar rc = 1;
    for (int j = 0; j < 16; j++) { k[j] = key[j]; s[j] = d[i * 16 + j] ^ k[j]; }
    for (int r = 1; r <= 10; r++) {
        for (int j = 0; j < 4; j++) k[j] ^= sbox[k[12 + (j + 1) % 4]] ^ (j ? 0 : rc);
        for (int j = 4; j < 16; j++) k[j] ^= k[j - 4];
        rc = xt(rc);
        for (int j = 0; j < 16; j++) t[j] = sbox[s[(j + 4 * (j % 4)) % 16]];
        for (int c = 0; c < 4; c++) {
            uchar a0 = t[4 * c], a1 = t[4 * c + 1], a2 = t[4 * c + 2], a3 = t[4 * c + 3], e = a0 ^ a1 ^ a2 ^ a3;
            if (r < 10) { t[4 * c] ^= e ^ xt(a0 ^ a1); t[4 * c + 1] ^= e ^ xt(a1 ^ a2); t[4 * c + 2] ^= e ^ xt(a2 ^ a3); t[4 * c + 3] ^= e ^ xt(a3 ^ a0); }
        }
        for (int j = 0; j < 16; j++) s[j] = t[j] ^ k[j];
    }
    for (int j = 0; j < 16; j++) o[i * 16 + j] = s[j];
}
/*py
def xt(a): return (a << 1 ^ (0x1b if a & 128 else 0)) & 255
def expect(args):
    key, d, sb, _ = args
    out = []
    for i in range(16):
        k, rc = key[:], 1
        s = [d[i * 16 + j] ^ k[j] for j in range(16)]
        for r in range(1, 11):
            for j in range(4): k[j] ^= sb[k[12 + (j + 1) % 4]] ^ (0 if j else rc)
            for j in range(4, 16): k[j] ^= k[j - 4]
            rc = xt(rc)
            t = [sb[s[(j + 4 * (j % 4)) % 16]] for j in range(16)]
            for c in range(0, 16, 4):
                a = t[c:c + 4]
                if r < 10:
                    for q in range(4): t[c + q] ^= a[0] ^ a[1] ^ a[2] ^ a[3] ^ xt(a[q] ^ a[(q + 1) % 4])
            s = [x ^ y for x, y in zip(t, k)]
        out += s
    return {3: out}
*/
