//! Reads the options of authentication, by method; their values are never repeated.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::{
    draft::choice,
    reader::{At, Object, Reader, one_of},
};
use crate::{
    auth::{Algorithm, ApiKey, ApiKeyOptions, ApiKeyValue, AuthOptions, JwtOptions, OAuthOptions},
    secret::Secret,
    server::error::Error,
};

/// A method of authentication.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum AuthKind {
    Jwt,
    ApiKey,
    OAuth,
}

pub(super) const AUTHS: [(&str, AuthKind); 3] =
    [("jwt", AuthKind::Jwt), ("apikey", AuthKind::ApiKey), ("oauth", AuthKind::OAuth)];

/// The options of every method while layers are laid over them, so that a method chosen in passing loses nothing.
#[derive(Default)]
pub(super) struct AuthDraft {
    pub(super) kind: Option<AuthKind>,
    jwt: JwtOptions,
    api_key: ApiKeyOptions,
    oauth: OAuthOptions,
}

impl From<Option<AuthOptions>> for AuthDraft {
    fn from(options: Option<AuthOptions>) -> Self {
        match options {
            None => Self::default(),
            Some(AuthOptions::Jwt(jwt)) => Self { kind: Some(AuthKind::Jwt), jwt, ..Self::default() },
            Some(AuthOptions::ApiKey(api_key)) => Self { kind: Some(AuthKind::ApiKey), api_key, ..Self::default() },
            Some(AuthOptions::OAuth(oauth)) => Self { kind: Some(AuthKind::OAuth), oauth, ..Self::default() },
        }
    }
}

impl AuthDraft {
    /// Lays an `auth` object over the draft.
    pub(super) fn read(&mut self, at: At<'_>, reader: &mut Reader<'_>) {
        if at.value.is_null() {
            if self.kind.is_some() {
                let source_name = reader.source_name();
                reader.errors.push(Error::AuthSwitchedOff { source_name });
            }
            return;
        }
        let path = at.path.clone();
        let Some(mut object) = reader.object(at) else {
            return;
        };
        let mut is_known = true;
        match object.take("type") {
            Some(at) => match choice(reader, &at, &AUTHS) {
                Some(kind) => self.kind = Some(kind),
                None => is_known = false,
            },
            None if self.kind.is_none() => {
                let reason = format!("is missing; expected {}", one_of(&AUTHS));
                reader.invalid(&format!("{path}.type"), reason);
            }
            None => {}
        }
        if let Some(at) = object.take("options")
            && let Some(mut options) = reader.object(at)
        {
            match self.kind.filter(|_| is_known) {
                Some(AuthKind::Jwt) => read_jwt(&mut options, reader, &mut self.jwt),
                Some(AuthKind::ApiKey) => read_api_key(&mut options, reader, &mut self.api_key),
                Some(AuthKind::OAuth) => read_oauth(&mut options, reader, &mut self.oauth),
                None => options.take_all(),
            }
            reader.finish(options, |_| None);
        }
        reader.finish(object, |name| is_option(name).then_some("options"));
    }

    /// The options of the method that was chosen in the end. Those of others are dropped, with a line in the log.
    pub(super) fn settle(self) -> Option<AuthOptions> {
        let kind = self.kind?;
        let given = [
            (AuthKind::Jwt, self.jwt != JwtOptions::default()),
            (AuthKind::ApiKey, self.api_key != ApiKeyOptions::default()),
            (AuthKind::OAuth, self.oauth != OAuthOptions::default()),
        ];
        for (other, _) in given.into_iter().filter(|(other, given)| *given && *other != kind) {
            let (now, before) = (word(kind), word(other));
            tracing::warn!(options = before, "the authentication is now `{now}`; the options of the other are dropped");
        }
        Some(match kind {
            AuthKind::Jwt => AuthOptions::Jwt(self.jwt),
            AuthKind::ApiKey => AuthOptions::ApiKey(self.api_key),
            AuthKind::OAuth => AuthOptions::OAuth(self.oauth),
        })
    }
}

fn word(kind: AuthKind) -> &'static str {
    let found = AUTHS.iter().find(|(_, own)| *own == kind);
    found.map_or("", |(word, _)| word)
}

fn read_jwt(object: &mut Object<'_>, reader: &mut Reader<'_>, jwt: &mut JwtOptions) {
    reader.set(object, "algorithms", algorithms, &mut jwt.algorithms);
    reader.set(object, "secret", secret_or_null, &mut jwt.secret);
    reader.set(object, "publicKey", Reader::text_or_null, &mut jwt.public_key);
    reader.set(object, "jwksUri", Reader::text_or_null, &mut jwt.jwks_uri);
    reader.set(object, "issuer", Reader::text_or_null, &mut jwt.issuer);
    reader.set(object, "audience", Reader::text_or_null, &mut jwt.audience);
    reader.set(object, "leewaySeconds", whole, &mut jwt.leeway_seconds);
}

fn read_api_key(object: &mut Object<'_>, reader: &mut Reader<'_>, api_key: &mut ApiKeyOptions) {
    reader.set(object, "keys", keys, &mut api_key.keys);
    reader.set(object, "headerName", Reader::text, &mut api_key.header_name);
    reader.set(object, "queryParam", Reader::text_or_null, &mut api_key.query_param);
}

fn read_oauth(object: &mut Object<'_>, reader: &mut Reader<'_>, oauth: &mut OAuthOptions) {
    reader.set(object, "issuerUrl", Reader::text, &mut oauth.issuer_url);
    reader.set(object, "clientId", Reader::text, &mut oauth.client_id);
    reader.set(object, "clientSecret", |r, at| r.text(at).map(Secret::from), &mut oauth.client_secret);
    reader.set(object, "audience", Reader::text_or_null, &mut oauth.audience);
    reader.set(object, "scopes", Reader::texts, &mut oauth.scopes);
}

/// Whether one of the methods has an option of that name.
fn is_option(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "algorithms",
        "secret",
        "publicKey",
        "jwksUri",
        "issuer",
        "audience",
        "leewaySeconds",
        "keys",
        "headerName",
        "queryParam",
        "issuerUrl",
        "clientId",
        "clientSecret",
        "scopes",
    ];
    NAMES.contains(&name)
}

fn secret_or_null(reader: &mut Reader<'_>, at: &At<'_>) -> Option<Option<Secret>> {
    reader.text_or_null(at).map(|text| text.map(Secret::from))
}

fn whole(reader: &mut Reader<'_>, at: &At<'_>) -> Option<u64> {
    match at.value.as_u64() {
        Some(number) => Some(number),
        None => reader.expected(at, "a whole number of seconds"),
    }
}

fn algorithms(reader: &mut Reader<'_>, at: &At<'_>) -> Option<Vec<Algorithm>> {
    let words = Algorithm::ALL.map(|algorithm| (algorithm.name(), algorithm));
    items(reader, at, "a list of algorithms", |reader, at| choice(reader, at, &words))
}

fn keys(reader: &mut Reader<'_>, at: &At<'_>) -> Option<Vec<ApiKey>> {
    items(reader, at, "a list of keys", |reader, at| match at.value {
        Value::String(key) => Some(ApiKey::from(key.as_str())),
        Value::Object(_) => entry(reader, at),
        _ => reader.expected(at, "a string, or an object with `key` or `sha256`"),
    })
}

fn entry(reader: &mut Reader<'_>, at: &At<'_>) -> Option<ApiKey> {
    let mut object = reader.object(At { path: at.path.clone(), value: at.value })?;
    let (mut key, mut digest) = (None, None);
    let mut entry = ApiKey::from("");
    reader.set(&mut object, "id", Reader::text_or_null, &mut entry.id);
    reader.set(&mut object, "key", |r, at| r.text(at).map(Some), &mut key);
    reader.set(&mut object, "sha256", sha256, &mut digest);
    reader.set(&mut object, "scopes", Reader::texts, &mut entry.scopes);
    reader.set(&mut object, "expiresAt", time_or_null, &mut entry.expires_at);
    let has = |name| at.value.get(name).is_some();
    if has("key") == has("sha256") {
        reader.invalid(&at.path, "needs either `key` or `sha256`".into());
    }
    reader.finish(object, |_| None);
    entry.value = key.map(|key: String| ApiKeyValue::Plain(key.into())).or(digest)?;
    Some(entry)
}

fn sha256(reader: &mut Reader<'_>, at: &At<'_>) -> Option<Option<ApiKeyValue>> {
    match ApiKey::sha256(&reader.text(at)?) {
        Ok(key) => Some(Some(key.value)),
        Err(error) => {
            reader.invalid(&at.path, error.to_string());
            None
        }
    }
}

fn time_or_null(reader: &mut Reader<'_>, at: &At<'_>) -> Option<Option<SystemTime>> {
    if reader.is_null(at) {
        return Some(None);
    }
    match at.value.as_str().and_then(timestamp) {
        Some(time) => Some(Some(time)),
        None => reader.expected(at, "a time such as `2027-01-31T12:00:00Z`"),
    }
}

/// Every item of a list, or nothing if one is wrong.
fn items<T>(
    reader: &mut Reader<'_>,
    at: &At<'_>,
    what: &str,
    mut read: impl FnMut(&mut Reader<'_>, &At<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let Value::Array(values) = at.value else {
        return reader.expected(at, what);
    };
    let before = reader.errors.len();
    let mut items = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        let path = format!("{}[{index}]", at.path);
        items.extend(read(reader, &At { path, value }));
    }
    (reader.errors.len() == before).then_some(items)
}

/// A time by RFC 3339, from 1970 on.
fn timestamp(text: &str) -> Option<SystemTime> {
    let (date, time) = text.split_at_checked(10)?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let time = time.strip_prefix(['T', 't', ' '])?;
    let (time, offset) = match time.strip_suffix(['Z', 'z']) {
        Some(time) => (time, 0),
        None => {
            let at = time.rfind(['+', '-'])?;
            let [hours, minutes] = numbers(&time[at + 1..], ':', [2, 2]).filter(|[h, m]| *h < 24 && *m < 60)?;
            let sign = if time[at..].starts_with('-') { -1 } else { 1 };
            (&time[..at], sign * (hours * 3600 + minutes * 60))
        }
    };
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    if fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if day == 0 || day > length || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days since 1970, counted in years that begin in March.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day - 1 - 719_468;
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset;
    Some(UNIX_EPOCH + Duration::from_secs(seconds.try_into().ok()?))
}

/// Numbers of so many digits each.
fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next().filter(|it| it.len() == digits && it.bytes().all(|b| b.is_ascii_digit()))?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let check = |text: &str, expected: Option<u64>| {
            let expected = expected.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
            assert_eq!(timestamp(text), expected, "{text}");
        };
        check("1970-01-01T00:00:00Z", Some(0));
        check("2027-01-31T12:00:00Z", Some(1_801_396_800));
        check("2024-02-29T23:59:59.999z", Some(1_709_251_199));
        check("2027-01-31T12:00:00+01:00", Some(1_801_393_200));
        check("2027-01-31 12:00:00-00:30", Some(1_801_398_600));
        for wrong in [
            "",
            "2027-01-31",
            "2027-01-31T12:00:00",
            "2027-02-29T00:00:00Z",
            "2027-13-01T00:00:00Z",
            "2027-1-01T00:00:00Z",
            "2027-01-31T24:00:00Z",
            "2027-01-31T12:00Z",
            "2027-01-31T12:00:00.Z",
            "2027-01-31T12:00:00+25:00",
            "1969-12-31T00:00:00Z",
            "+027-01-31T12:00:00Z",
            "20é7-01-31T12:00:00Z",
        ] {
            check(wrong, None);
        }
    }
}
