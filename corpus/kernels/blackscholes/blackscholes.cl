//! global 64
//! local 32
//! in s f32 64 real 5 30
//! in x f32 64 real 1 100
//! in t f32 64 real 0.25 10
//! out call_ f32 64; ulp 64 abs 1e-4
//! out put_ f32 64; ulp 64 abs 1e-4
float cnd(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float c = 0.39894228f * exp(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}
kernel void blackscholes(global const float *s, global const float *x, global const float *t, global float *call_, global float *put_)
{
    uint i = get_global_id(0);
    float S = s[i], X = x[i], T = t[i], q = sqrt(T), d1 = (log(S / X) + (0.02f + 0.045f) * T) / (0.3f * q), d2 = d1 - 0.3f * q;
    float a = cnd(d1), b = cnd(d2), e = exp(-0.02f * T);
    call_[i] = S * a - X * e * b;
    put_[i] = X * e * (1.0f - b) - S * (1.0f - a);
}
