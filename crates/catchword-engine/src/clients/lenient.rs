//! Reads a client's JSON so that an unexpected value does not make the rest unreadable.
//!
//! Any field may be missing, null or have a new type: then it is read as absent.

use std::fmt;

use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Reads a field of the expected type, or nothing.
pub fn lenient<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Lenient::new(false).deserialize(from)
}

/// Reads a list without items of another type; nothing if it is not a list.
pub fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<Vec<T>>, D::Error> {
    Lenient::new(true).deserialize(from).map(|list| list.map(|List(items)| items))
}

/// Reads a text, or a list without items of another type; nothing otherwise.
pub fn one_or_more<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<OneOrMore<T>>, D::Error> {
    Lenient::new(true).deserialize(from)
}

/// One text or several; nothing otherwise.
pub fn texts(json: &RawValue) -> Vec<String> {
    match read(json.get()) {
        Some(Texts(OneOrMore::One(text))) => vec![text],
        Some(Texts(OneOrMore::More(texts))) => texts,
        None => Vec::new(),
    }
}

/// Texts that may have been read from any JSON.
struct Texts(OneOrMore<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        OneOrMore::deserialize(from).map(Texts)
    }
}

/// A list without items of another type; empty if it is not a list.
pub fn items<T: DeserializeOwned>(json: &RawValue) -> Vec<T> {
    read(json.get()).map(|List(items)| items).unwrap_or_default()
}

/// A value of the expected type; any other is skipped.
struct Lenient<T> {
    /// Whether a list is expected. If not, it is skipped: serde would read it as the fields of a struct, in order.
    is_list: bool,
    expected: PhantomData<T>,
}

impl<T> Lenient<T> {
    fn new(is_list: bool) -> Self {
        Lenient { is_list, expected: PhantomData }
    }
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Lenient<T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Option<T>, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Lenient<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Option<T>, E> {
        Ok(T::deserialize(IntoDeserializer::<E>::into_deserializer(value)).ok())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Option<T>, E> {
        Ok(T::deserialize(IntoDeserializer::<E>::into_deserializer(value)).ok())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Option<T>, E> {
        Ok(T::deserialize(IntoDeserializer::<E>::into_deserializer(value)).ok())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Option<T>, E> {
        Ok(T::deserialize(IntoDeserializer::<E>::into_deserializer(value)).ok())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Option<T>, E> {
        Ok(T::deserialize(IntoDeserializer::<E>::into_deserializer(value)).ok())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<T>, A::Error> {
        let value = self.is_list.then(|| T::deserialize(SeqAccessDeserializer::new(&mut items)).ok());
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(value.flatten())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Option<T>, A::Error> {
        let value = T::deserialize(MapAccessDeserializer::new(&mut members)).ok();
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(value)
    }
}

/// The items of the expected type.
struct List<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Items<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<List<T>, A::Error> {
                let mut found = Vec::new();
                while let Some(item) = items.next_element_seed(Lenient::new(false))? {
                    found.extend(item);
                }
                Ok(List(found))
            }
        }
        from.deserialize_seq(Items(PhantomData))
    }
}

/// A text, or a list of something.
pub enum OneOrMore<T> {
    One(String),
    More(Vec<T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMore<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = OneOrMore<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a text or a list")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<OneOrMore<T>, E> {
                Ok(OneOrMore::One(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<OneOrMore<T>, A::Error> {
                List::deserialize(SeqAccessDeserializer::new(items)).map(|List(items)| OneOrMore::More(items))
            }
        }
        from.deserialize_any(Either(PhantomData))
    }
}

/// Parses a text; nothing if it is not JSON.
pub fn read<T: DeserializeOwned>(json: &str) -> Option<T> {
    serde_json::from_str(json).ok().or_else(|| serde_json::from_str(&plain(json)?).ok())
}

/// Valid JSON that serde rejects (half a surrogate pair, a duplicate key), in a form that it accepts.
pub fn plain(json: &str) -> Option<String> {
    serde_json::from_str::<Value>(&mended(json)).ok().map(|value| value.to_string())
}

/// JSON with the replacement character for escapes that serde rejects (surrogates of emoji that a tool cut in half).
fn mended(json: &str) -> String {
    let mut mended = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find("\\u") {
        let escapes = rest[..at].bytes().rev().take_while(|b| *b == b'\\').count();
        let code = rest.get(at + 2..at + 6);
        let surrogate =
            code.is_some_and(|c| c.as_bytes()[0].eq_ignore_ascii_case(&b'd') && c.as_bytes()[1] >= b'8');
        mended.push_str(&rest[..at]);
        if surrogate && escapes.is_multiple_of(2) {
            mended.push('\u{fffd}');
            rest = rest.get(at + 6..).unwrap_or_default();
        } else {
            mended.push_str("\\u");
            rest = &rest[at + 2..];
        }
    }
    mended.push_str(rest);
    mended
}
