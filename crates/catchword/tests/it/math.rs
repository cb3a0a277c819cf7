//! What is linked in place of libm (`math.c`) counts as that does.

use std::f64::consts::{E, LN_2, LN_10, SQRT_2};
use std::hint::black_box;

use proptest::prelude::*;

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= b.abs() * 1e-13
}

fn is_nearest(a: f32, b: f64) -> bool {
    f64::from((a - b as f32).abs()) <= b.abs() * 1.3e-7
}

#[test]
fn known_values_come_out() {
    for (x, ln) in [(2.0, LN_2), (10.0, LN_10), (E, 1.0), (0.5, -LN_2), (1e300, 300.0 * LN_10)] {
        assert!(is_near(black_box::<f64>(x).ln(), ln), "{x}");
        assert!(x > 1e30 || is_nearest(black_box(x as f32).ln(), ln), "{x}");
    }
    assert!(is_near(black_box(0.5_f64).exp2(), SQRT_2) && is_near(black_box(2.0_f64).powf(0.5), SQRT_2));
    assert!(is_near(black_box(0.5_f64).powf(30.0), 0.5_f64.powi(30)));
    assert!(is_near(black_box(-3.0_f64).powf(3.0), -27.0) && is_near(black_box(0.1_f64).powf(-2.0), 100.0));
    assert!(is_nearest(black_box(1.0_f32).exp(), E) && is_nearest(black_box(-1.0_f32).exp(), 1.0 / E));
    assert_eq!(
        [1.0_f32, 8.0, 0.25].map(|x| black_box(x).log2().to_bits()),
        [0.0_f32, 3.0, -2.0].map(f32::to_bits)
    );
}

#[test]
fn what_has_no_value_has_none() {
    assert!(black_box(-1.0_f64).ln().is_nan() && black_box(-1.0_f32).log2().is_nan());
    assert!(black_box(f32::NAN).exp().is_nan() && black_box(-2.0_f64).powf(0.5).is_nan());
    assert_eq!((black_box(0.0_f64).ln(), black_box(0.0_f32).log2()), (f64::NEG_INFINITY, f32::NEG_INFINITY));
    assert_eq!((black_box(-200.0_f32).exp(), black_box(100.0_f32).exp()), (0.0, f32::INFINITY));
    assert_eq!((black_box(-2e3_f64).exp2(), black_box(2e3_f64).exp2()), (0.0, f64::INFINITY));
    assert_eq!((black_box(0.0_f64).powf(2.0), black_box(7.0_f64).powf(0.0)), (0.0, 1.0));
}

proptest! {
    #[test]
    fn one_undoes_the_other(x in 1e-6..1e6_f64, y in -80.0..80.0_f32) {
        prop_assert!(is_near((x.ln() / LN_2).exp2(), x) || (x - 1.0).abs() < 1e-3);
        prop_assert!(is_near(x.powf(0.5).powi(2), x));
        prop_assert!((y.exp().ln() - y).abs() <= y.abs() * 1e-6 + 1e-6);
        prop_assert!((f64::from((x as f32).log2()) * LN_2 - x.ln()).abs() < 1e-5);
    }
}
