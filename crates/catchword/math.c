// The few functions of libm that catchword needs: the heat of names, the ranking of a search, the time left of a bar.
// With them in the program (build.rs) its library is not loaded, for which every hook waits a tenth of what an empty
// process takes. A double is right to the last bit or two, powers to nine digits in ten, a float nearly always the nearest.

#include <stdint.h>

static const double LN2 = 0x1.62e42fefa39efp-1;
// The same in two parts, the first of them short: its product with an exponent is exact.
static const double LN2_HIGH = 0x1.62e42fefap-1, LN2_LOW = 0x1.cf79abc9e3b3ap-40;
// What this is added to becomes a whole number, and that stands in its lowest bits.
static const double WHOLE = 0x1.8p52;

union number {
    double x;
    uint64_t bits;
};

static uint64_t bits_of(double x) { return ((union number){.x = x}).bits; }

static double of_bits(uint64_t bits) { return ((union number){.bits = bits}).x; }

// Two to the n, where a double can be that.
static double two_to(int n) { return of_bits((uint64_t)(1023 + n) << 52); }

// A positive x is what this gives, around one, times two to the n.
static double around_one(double x, int *n) {
    int below = x < 0x1p-1022 ? 54 : 0; // so small that it has no leading one
    if (below) x *= 0x1p54;
    uint64_t bits = bits_of(x);
    double m = of_bits((bits & 0xfffffffffffffULL) | 1023ULL << 52);
    int above = m > 0x1.6a09e667f3bcdp0; // the root of two
    *n = (int)(bits >> 52) - 1023 - below + above;
    return above ? m * 0.5 : m;
}

// ln m = 2 artanh s with s = (m - 1) / (m + 1), which is below 0.172.
static double ln_around_one(double m) {
    double f = m - 1, s = f / (2 + f), z = s * s;
    double sum = z * (1. / 3 + z * (1. / 5 + z * (1. / 7 + z * (1. / 9 + z * (1. / 11 + z * (1. / 13 +
                 z * (1. / 15 + z * (1. / 17 + z * (1. / 19 + z * (1. / 21 + z * (1. / 23)))))))))));
    // f - s f is 2 s, and more exact.
    return f - s * (f - 2 * sum);
}

static int is_positive(double x) { return x > 0 && x <= 0x1.fffffffffffffp1023; }

static double ln_of_others(double x) { return x == 0 ? -1 / (x * x) : x < 0 ? (x - x) / 0. : x; }

double log(double x) {
    if (!is_positive(x)) return ln_of_others(x);
    int n;
    double ln = ln_around_one(around_one(x, &n));
    return n * LN2_HIGH + (ln + n * LN2_LOW);
}

float logf(float x) { return (float)log(x); }

// A float needs fewer terms.
float log2f(float x) {
    if (!is_positive(x)) return (float)ln_of_others(x);
    int n;
    double m = around_one(x, &n), s = (m - 1) / (m + 1), z = s * s;
    double sum = 1 + z * (1. / 3 + z * (1. / 5 + z * (1. / 7 + z * (1. / 9 + z * (1. / 11 + z * (1. / 13))))));
    return (float)(n + s * sum * (2 / LN2));
}

// e to the r, which is below 0.35.
static double exp_around_zero(double r) {
    double sum = 1;
    for (int k = 14; k > 0; k--) sum = 1 + sum * r / k;
    return sum;
}

static double exponential(double x) {
    if (!(x <= 710)) return x != x ? x : 0x1p1023 * 2;
    if (x < -746) return 0;
    int n = (int)(x / LN2 + (x < 0 ? -0.5 : 0.5)), half = n / 2;
    return exp_around_zero(x - n * LN2_HIGH - n * LN2_LOW) * two_to(half) * two_to(n - half);
}

double exp2(double x) {
    if (!(x > -1080 && x < 1030)) return exponential(x * LN2);
    int n = (int)(x + (x < 0 ? -0.5 : 0.5)), half = n / 2;
    return exp_around_zero((x - n) * LN2) * two_to(half) * two_to(n - half);
}

double pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    int is_whole = y > -0x1p53 && y < 0x1p53 ? (double)(int64_t)y == y : 1;
    int is_odd = is_whole && y > -0x1p53 && y < 0x1p53 && ((int64_t)y & 1);
    double size = x < 0 ? -x : x;
    if (x < 0 && !is_whole) return (x - x) / 0.;
    double power = size == 1 ? 1 : exponential(y * log(size));
    return x < 0 && is_odd ? -power : power;
}

// The hottest of them: two to the sixteenths from a table, and little is left to be done.
float expf(float x) {
    static const double SIXTEENTHS[16] = {
        0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
        0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
        0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
        0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0,
    };
    if (!(x <= 89)) return x != x ? x : (float)0x1p1023;
    if (x < -104) return 0;
    double whole = x * (16 / LN2) + WHOLE;
    int n = (int)bits_of(whole);
    double r = x - (whole - WHOLE) * (LN2 / 16);
    double e = 1 + r * (1 + r * (1. / 2 + r * (1. / 6 + r * (1. / 24))));
    return (float)(e * SIXTEENTHS[n & 15] * two_to(n >> 4));
}
