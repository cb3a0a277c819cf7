//! A part of a session that is unpacked when it is first asked for.
//!
//! A hook that guides the summariser needs no names, and no hook but one that folds needs the ids of rows. What nobody
//! asks for is handed from one snapshot to the next as it is.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, DerefMut, Range};
use std::sync::{Arc, OnceLock};

use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Something that may still be packed.
#[derive(Clone, Default)]
pub struct Later<T> {
    /// As it came, while nothing has changed it.
    packed: Option<Packed>,
    value: OnceLock<T>,
}

/// Bytes that lie where a whole snapshot was read to, or on their own. A copy of each part would touch as many pages again.
#[derive(Clone)]
struct Packed {
    ground: Arc<Vec<u8>>,
    at: Range<usize>,
}

thread_local! {
    /// What is being unpacked on this thread.
    static GROUND: RefCell<Option<Arc<Vec<u8>>>> = const { RefCell::new(None) };
}

/// Unpacks something from `ground`: what stays packed of it stays there.
pub(crate) fn unpacked_from<T>(ground: &Arc<Vec<u8>>, unpack: impl FnOnce() -> T) -> T {
    let outer = GROUND.replace(Some(Arc::clone(ground)));
    let unpacked = unpack();
    GROUND.set(outer);
    unpacked
}

impl Packed {
    fn of(bytes: &[u8]) -> Packed {
        let lying = |ground: &Arc<Vec<u8>>| {
            let from = bytes.as_ptr().addr().checked_sub(ground.as_ptr().addr())?;
            let at = from..from + bytes.len();
            (at.end <= ground.len()).then(|| Packed { ground: Arc::clone(ground), at })
        };
        let on_its_own = || Packed { ground: Arc::new(bytes.to_vec()), at: 0..bytes.len() };
        GROUND.with_borrow(|ground| ground.as_ref().and_then(lying)).unwrap_or_else(on_its_own)
    }

    fn bytes(&self) -> &[u8] {
        &self.ground[self.at.clone()]
    }
}

impl<T: Default + DeserializeOwned> Later<T> {
    /// The snapshot that holds it has been found whole: what is in it can be unpacked.
    fn unpacked(&self) -> T {
        let unpack =
            |packed: &Packed| unpacked_from(&packed.ground, || postcard::from_bytes(packed.bytes()).ok());
        self.packed.as_ref().and_then(unpack).unwrap_or_default()
    }
}

impl<T> Later<T> {
    /// Still packed.
    pub(super) fn of_packed(bytes: &[u8]) -> Self {
        Later { packed: (!bytes.is_empty()).then(|| Packed::of(bytes)), value: OnceLock::new() }
    }
}

impl<T: Serialize> Later<T> {
    /// As it came where nothing has changed it, and packed anew where something has.
    pub(super) fn packed(&self) -> Option<Cow<'_, [u8]>> {
        match (&self.packed, self.value.get()) {
            (Some(packed), _) => Some(Cow::Borrowed(packed.bytes())),
            (None, Some(value)) => postcard::to_stdvec(value).ok().map(Cow::Owned),
            (None, None) => Some(Cow::Borrowed(&[])),
        }
    }
}

impl<T> From<T> for Later<T> {
    fn from(value: T) -> Self {
        Later { packed: None, value: OnceLock::from(value) }
    }
}

impl<T: Default + DeserializeOwned> Deref for Later<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.get_or_init(|| self.unpacked())
    }
}

impl<T: Default + DeserializeOwned> DerefMut for Later<T> {
    fn deref_mut(&mut self) -> &mut T {
        if self.value.get().is_none() {
            let _ = self.value.set(self.unpacked());
        }
        self.packed = None;
        self.value.get_mut().unwrap_or_else(|| unreachable!("it was put there"))
    }
}

impl<T: Default + DeserializeOwned + PartialEq> PartialEq for Later<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Default + DeserializeOwned + fmt::Debug> fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::fmt(self, f)
    }
}

impl<T: Serialize> Serialize for Later<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let packed = self.packed().ok_or_else(|| serde::ser::Error::custom("it cannot be packed"))?;
        to.serialize_bytes(&packed)
    }
}

impl<'de, T> Deserialize<'de> for Later<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        bytes_as(from, Later::of_packed)
    }
}

/// A map as it was written, in its order: built from all of its entries at once instead of by looking for the place of each.
pub(super) fn in_order<'de, K, V, D>(from: D) -> Result<BTreeMap<K, V>, D::Error>
where
    K: Deserialize<'de> + Ord,
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Vec::<(K, V)>::deserialize(from)?.into_iter().collect())
}

/// What `made` makes of bytes, where they lie.
pub(super) fn bytes_as<'de, D: Deserializer<'de>, T>(
    from: D,
    made: impl FnOnce(&[u8]) -> T,
) -> Result<T, D::Error> {
    struct Lying<F>(F);
    impl<T, F: FnOnce(&[u8]) -> T> Visitor<'_> for Lying<F> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<T, E> {
            Ok(self.0(bytes))
        }
    }
    from.deserialize_bytes(Lying(made))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(later: &Later<Vec<String>>) -> Vec<u8> {
        postcard::to_stdvec(later).unwrap()
    }

    #[test]
    fn what_nobody_asked_for_goes_on_as_it_came_and_what_was_changed_is_packed_anew() {
        let mut words = Later::<Vec<String>>::default();
        words.push("first".to_owned());
        let bytes = packed(&words);
        let unasked: Later<Vec<String>> = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(packed(&unasked), bytes);
        assert!(unasked.value.get().is_none(), "nobody has asked yet");
        let mut asked = unasked.clone();
        assert_eq!(*asked, ["first"]);
        asked.push("second".to_owned());
        let again: Later<Vec<String>> = postcard::from_bytes(&packed(&asked)).unwrap();
        assert_eq!(*again, ["first", "second"]);
        assert_eq!(asked, again);
        assert_ne!(asked, unasked);
    }

    #[test]
    fn what_stays_packed_stays_where_it_was_read_to() {
        #[derive(Default, Serialize, Deserialize)]
        struct Inner(u8, Later<String>);
        let inner = |text: &str| Later::from(Inner(7, Later::from(text.to_owned())));
        let ground = Arc::new(postcard::to_stdvec(&[inner("first"), inner("second")]).unwrap());
        let read: [Later<Inner>; 2] = unpacked_from(&ground, || postcard::from_bytes(&ground).unwrap());
        let texts = read.each_ref().map(|inner| inner.1.as_str());
        assert_eq!(texts, ["first", "second"]);
        for packed in read.iter().flat_map(|inner| [inner.packed.as_ref(), inner.1.packed.as_ref()]) {
            assert!(Arc::ptr_eq(&packed.unwrap().ground, &ground));
        }
        let elsewhere: Later<Inner> =
            postcard::from_bytes(&postcard::to_stdvec(&inner("third")).unwrap()).unwrap();
        assert_eq!(elsewhere.1.as_str(), "third");
    }

    #[test]
    fn a_map_comes_back_as_it_was() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Held(#[serde(deserialize_with = "in_order")] BTreeMap<String, u32>);
        let map = Held((0..50).map(|n| (format!("{}", n * 7 % 50), n)).collect());
        assert_eq!(postcard::from_bytes::<Held>(&postcard::to_stdvec(&map).unwrap()), Ok(map));
    }

    #[test]
    fn nothing_is_packed_as_nothing() {
        let none = Later::<Vec<String>>::default();
        let again: Later<Vec<String>> = postcard::from_bytes(&packed(&none)).unwrap();
        assert!(again.is_empty());
    }
}
