//! Formats numbers for people: counts with a noun, large numbers, byte sizes, ages and durations.

/// `1 line`, `3 lines`, `1,200 lines`.
pub fn count_of(count: usize, noun: &str) -> String {
    count_of_either(count, noun, &format!("{noun}s"))
}

/// The same for a noun with an irregular plural.
pub fn count_of_either(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count as u64), if count == 1 { one } else { many })
}

/// `1,234,567`.
pub fn grouped(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1_000), number % 1_000),
    }
}

/// `950`, `12k`, `167k`, `1.2M`: for when only the magnitude matters.
pub fn rounded(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..999_500 => format!("{}k", (number + 500) / 1_000),
        _ => {
            let tenths = number.saturating_add(50_000) / 100_000;
            match tenths % 10 {
                0 => format!("{}M", tenths / 10),
                tenth => format!("{}.{tenth}M", tenths / 10),
            }
        }
    }
}

/// `12 bytes`, `2.5 kB`, `31.0 MB`.
pub fn byte_size(bytes: u64) -> String {
    match bytes {
        0..1_000 => count_of(bytes as usize, "byte"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// An age in milliseconds as `20 min ago`.
pub fn ago(age_ms: i64) -> String {
    let seconds = age_ms.max(0) / 1_000;
    match seconds {
        0..5 => "just now".to_owned(),
        5..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..172_800 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// A duration in microseconds as `0.4 ms`, `31 ms`, `1.2 s`.
pub fn duration(micros: i64) -> String {
    match micros {
        0..10_000 => format!("{:.1} ms", micros as f64 / 1e3),
        10_000..1_000_000 => format!("{} ms", (micros + 500) / 1_000),
        _ => format!("{:.1} s", micros as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_takes_the_singular() {
        assert_eq!(
            [0, 1, 2, 1_200].map(|n| count_of(n, "line")),
            ["0 lines", "1 line", "2 lines", "1,200 lines"]
        );
        assert_eq!(
            [1, 2].map(|n| count_of_either(n, "criterion", "criteria")),
            ["1 criterion", "2 criteria"]
        );
    }

    #[test]
    fn large_numbers_have_thousands_separators() {
        let shown = [0, 999, 1_000, 133_600, 1_000_000, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "133,600", "1,000,000", "1,234,567"]);
    }

    #[test]
    fn rounded_numbers_have_at_most_three_digits_and_a_unit() {
        let numbers = [0, 999, 1_499, 12_300, 167_000, 999_400, 999_500, 1_250_000, 2_000_000];
        let shown = ["0", "999", "1k", "12k", "167k", "999k", "1M", "1.3M", "2M"];
        assert_eq!(numbers.map(rounded), shown);
    }

    #[test]
    fn byte_sizes_use_bytes_kilobytes_or_megabytes() {
        let shown = [0, 1, 999, 2_540, 64_000, 31_000_000].map(byte_size);
        assert_eq!(shown, ["0 bytes", "1 byte", "999 bytes", "2.5 kB", "64.0 kB", "31.0 MB"]);
    }

    #[test]
    fn ages_use_their_largest_unit() {
        let cases = [
            (-5, "just now"),
            (4_999, "just now"),
            (59_000, "59 s ago"),
            (3_599_000, "59 min ago"),
            (90_000_000, "25 h ago"),
            (259_200_000, "3 days ago"),
        ];
        for (age, words) in cases {
            assert_eq!(ago(age), words);
        }
    }

    #[test]
    fn durations_use_milliseconds_or_seconds() {
        assert_eq!([400, 31_400, 1_250_000].map(duration), ["0.4 ms", "31 ms", "1.2 s"]);
    }
}
