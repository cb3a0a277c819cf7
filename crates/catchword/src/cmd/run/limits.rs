//! When a run resets, and how long it may take.

use std::time::Duration;

/// A share of the context, as typed: `20%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percent(pub u64);

impl Percent {
    /// The token count from which on less than this share of `threshold` is left.
    pub fn mark(self, threshold: u64) -> u64 {
        threshold - threshold * self.0 / 100
    }
}

/// Parses `20%` or `20`.
pub fn percent(text: &str) -> Result<Percent, String> {
    let number = text.trim().trim_end_matches('%').parse::<u64>();
    match number {
        Ok(number @ 1..=90) => Ok(Percent(number)),
        _ => Err("a share from 1% to 90% is needed, such as 20%".to_owned()),
    }
}

/// Parses `2h`, `90m`, `45s`, `1h30m`.
pub fn span(text: &str) -> Result<Duration, String> {
    let wrong = || "a time is needed, such as 2h, 90m or 1h30m".to_owned();
    let mut seconds = 0_u64;
    let mut digits = String::new();
    for c in text.trim().chars() {
        let unit = match c {
            '0'..='9' => {
                digits.push(c);
                continue;
            }
            'h' => 3_600,
            'm' => 60,
            's' => 1,
            _ => return Err(wrong()),
        };
        let number: u64 = digits.parse().map_err(|_| wrong())?;
        seconds = number.checked_mul(unit).and_then(|n| n.checked_add(seconds)).ok_or_else(wrong)?;
        digits.clear();
    }
    if seconds == 0 || !digits.is_empty() { Err(wrong()) } else { Ok(Duration::from_secs(seconds)) }
}

/// Formats a duration as [`span`] parses it.
pub fn shown(span: Duration) -> String {
    let seconds = span.as_secs();
    let units = [(seconds / 3_600, 'h'), (seconds / 60 % 60, 'm'), (seconds % 60, 's')];
    let said: Vec<String> = units
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, unit)| format!("{number}{unit}"))
        .collect();
    said.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_sign_is_optional() {
        assert_eq!((percent("20%"), percent(" 5 ")), (Ok(Percent(20)), Ok(Percent(5))));
        for wrong in ["", "0%", "91%", "-5", "a", "20k", "12.5%"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Percent(20).mark(167_000), 133_600);
        assert_eq!(Percent(90).mark(10), 1);
    }

    #[test]
    fn durations_are_parsed_in_hours_minutes_and_seconds() {
        for (text, seconds) in [("2h", 7_200), ("90m", 5_400), ("45s", 45), ("1h30m", 5_400)] {
            assert_eq!(span(text), Ok(Duration::from_secs(seconds)), "{text}");
            assert_eq!(span(&shown(Duration::from_secs(seconds))), span(text), "{text}");
        }
        for wrong in ["", "2", "h", "2h30", "0s", "2d", "99999999999999999999h", "9999999999999999999h"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
    }
}
