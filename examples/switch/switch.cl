// A tiny interpreter: each item runs its own program, so the switch goes a
// different way in every lane. One case falls through to the next.
kernel void switch_(global const uchar *programs, global uint *out, uint length)
{
    uint i = get_global_id(0);
    uint acc = i, other = 1, skipped = 0;

    for (uint pc = 0; pc < length; pc++) {
        uint op = programs[i * length + pc], value = op >> 4;
        switch (op & 15) {
        case 0: acc += value;                        break;
        case 1: acc -= value;                        break;
        case 2: acc *= value + 1;                    break;
        case 3: acc ^= other;                        break;
        case 4: acc = rotate(acc, value);            break;
        case 5: other = acc;                         // and swap halves
        case 6: acc = acc << 16 | acc >> 16;         break;
        case 7: other = min(acc, other + value);     break;
        case 8: acc = acc % (value + 3) + (acc << 4);  break;
        case 9: pc += acc & 3;                       break;
        case 10:
            if (acc & 1)
                acc = 3 * acc + 1;
            else
                acc /= 2;
            break;
        default: skipped++;
        }
    }
    out[i] = acc;
    out[get_global_size(0) + i] = other * 256 + skipped;
}
