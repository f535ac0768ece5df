//! Doors for `fuzz/`, and there only when it builds: what reads bytes of strangers, a function each (floor 5).

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Error, value::RawValue};

use crate::{
    auth::Url,
    limits::Limits,
    protocol::{
        read::{self, Checked, Object, Verdict},
        write,
    },
    secret::Secret,
    server::{
        definition::Segment,
        seal::{Bond, Seal},
        template,
    },
};

/// The members of a message as its envelope is read: each name with the text of its value. An error where the text is
/// no object: whether it begins with another value.
pub fn members(text: &str) -> Result<Vec<(String, &str)>, bool> {
    let mut members = Vec::new();
    match read::check_members(text, |name, value| members.push((name.to_owned(), value))) {
        Verdict::Object => Ok(members),
        Verdict::OtherValue => Err(true),
        Verdict::Invalid => Err(false),
    }
}

/// Reads a value from JSON text that was checked before.
pub fn checked<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Error> {
    T::deserialize(Checked(text))
}

/// Reads a value from the text of an object that was checked before.
pub fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Error> {
    T::deserialize(Object(text))
}

/// JSON text that was checked before.
pub fn raw(text: &str) -> Option<&RawValue> {
    read::raw(text)
}

/// A value as it goes to the wire.
pub fn written<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    write::write(&mut out, value).map(|()| out)
}

/// The values of a template's variables in a URI.
pub fn variables(template: &'static [Segment], uri: &str) -> Option<Vec<(&'static str, String)>> {
    template::match_uri(template, uri)
}

/// A URL of the options or of a provider: its origin, its path, and what stands in a request line.
pub fn url(text: &str) -> Option<(String, String, String)> {
    let url = Url::parse(text).ok()?;
    Some((url.origin().to_owned(), url.path().to_owned(), url.target()))
}

/// Seals a content for a request of these parameters, changes the seal, and opens it for one of the other parameters.
pub fn unsealed(content: &[u8], params: &RawValue, other: &RawValue, change: impl Fn(&mut String)) -> Option<Vec<u8>> {
    let key = Secret::from("0123456789abcdef0123456789abcdef".to_owned());
    let seal = Seal::new(&[key], &Limits::default()).ok()?;
    let bond = |params| Bond::new(None, "tools/call", Some(params));
    let now = SystemTime::UNIX_EPOCH;
    let mut sealed = seal.close(&bond(params), now, content).ok()?;
    change(&mut sealed);
    seal.open(&bond(other), now, &sealed).ok()
}
