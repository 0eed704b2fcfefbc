//! global 64
//! local 32
//! in text u8 2048 range 32 57
//! out o u32 192
// A lexer as a state machine over text: numbers, words, spaces.
kernel void k_cf_state(global const uchar *text, global uint *o)
{
    uint i = get_global_id(0), n = 0, sum = 0, words = 0, num = 0;
    global const uchar *p = text + i * 32;
start:
    if (n == 32) goto end;
    if (p[n] >= '0') { num = 0; goto number; }
    if (p[n] < '(') { n++; goto start; }
    words++;
word:
    n++;
    if (n == 32) goto end;
    if (p[n] >= '(' && p[n] < '0') goto word;
    goto start;
number:
    num = num * 10 + p[n] - '0';
    n++;
    if (n < 32 && p[n] >= '0') goto number;
    sum += num;
    goto start;
end:
    o[3 * i] = sum; o[3 * i + 1] = words; o[3 * i + 2] = num;
}
