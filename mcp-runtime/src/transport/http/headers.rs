//! Header values, read as the standards say: what a client takes, and what it sends.

use http::{HeaderMap, HeaderName, HeaderValue, header, header::GetAll};

use super::rejection::Rejection;
use crate::server::mirrored::{HeaderLines, Line};

/// Whether a client takes `kind/subtype`; one that does not say takes anything.
pub(super) fn accepts(headers: &HeaderMap, kind: &str, subtype: &str) -> bool {
    let mut stated = false;
    // The most precise range decides, whatever stands beside it.
    let (mut precision, mut accepted) = (0, false);
    for value in headers.get_all(header::ACCEPT) {
        let Ok(value) = value.to_str() else {
            return false;
        };
        for range in value.split(',').map(str::trim).filter(|range| !range.is_empty()) {
            stated = true;
            let mut parts = range.split(';').map(str::trim);
            let Some((of_kind, of_subtype)) = parts.next().and_then(|range| range.split_once('/')) else {
                return false;
            };
            let found = match (of_kind, of_subtype) {
                ("*", "*") => 1,
                (of_kind, "*") if of_kind.eq_ignore_ascii_case(kind) => 2,
                (of_kind, of_subtype)
                    if of_kind.eq_ignore_ascii_case(kind) && of_subtype.eq_ignore_ascii_case(subtype) =>
                {
                    3
                }
                _ => continue,
            };
            let weight =
                parts.filter_map(|part| part.split_once('=')).find(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
            let wanted = match weight {
                Some((_, weight)) => weight.trim().parse::<f32>().is_ok_and(|weight| weight > 0.0),
                None => true,
            };
            if found > precision {
                (precision, accepted) = (found, wanted);
            } else if found == precision {
                accepted |= wanted;
            }
        }
    }
    !stated || accepted
}

/// What a client takes as an answer of Streamable HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    pub(super) json: bool,
    pub(super) events: bool,
}

impl Accepted {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut lines = headers.get_all(header::ACCEPT).iter();
        if let (Some(line), None) = (lines.next(), lines.next())
            && line.as_bytes() == b"application/json, text/event-stream"
        {
            // The usual case.
            return Self { json: true, events: true };
        }
        Self { json: accepts(headers, "application", "json"), events: accepts(headers, "text", "event-stream") }
    }
}

/// The value of a header that may stand once; an error where it stands twice, or is no text.
pub(super) fn one_line<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, ()> {
    let mut lines = headers.get_all(name).iter();
    match (lines.next(), lines.next()) {
        (None, _) => Ok(None),
        (Some(line), None) => line.to_str().map(Some).map_err(drop),
        (Some(_), Some(_)) => Err(()),
    }
}

/// What a request says of the version of its message.
pub(super) fn version(headers: &HeaderMap) -> Line<'_> {
    const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
    line(headers.get_all(VERSION))
}

impl HeaderLines for HeaderMap {
    fn method(&self) -> Line<'_> {
        const METHOD: HeaderName = HeaderName::from_static("mcp-method");
        line(self.get_all(METHOD))
    }

    fn name(&self) -> Line<'_> {
        const NAME: HeaderName = HeaderName::from_static("mcp-name");
        line(self.get_all(NAME))
    }

    fn param(&self, header: &str) -> Line<'_> {
        line(self.get_all(header))
    }
}

fn line(values: GetAll<'_, HeaderValue>) -> Line<'_> {
    let mut values = values.iter();
    match (values.next(), values.next()) {
        (None, _) => Line::Absent,
        (Some(line), None) => line.to_str().map_or(Line::Garbled, |said| Line::Says(said.trim_matches([' ', '\t']))),
        // Also where they say the same: whoever stands between may have gone by either.
        (Some(_), Some(_)) => Line::Garbled,
    }
}

/// Refuses every body but plain JSON in UTF-8: pages elsewhere can send all other types without asking first.
pub(super) fn expect_json(headers: &HeaderMap) -> Result<(), Rejection> {
    if headers.get_all(header::CONTENT_ENCODING).iter().any(|encoding| !is(encoding, "identity")) {
        return Err(Rejection::EncodedBody);
    }
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    match (types.next(), types.next()) {
        // The usual case.
        (Some(value), None) if value.as_bytes() == b"application/json" => Ok(()),
        (Some(value), None) if value.to_str().is_ok_and(is_json) => Ok(()),
        _ => Err(Rejection::WrongContentType),
    }
}

fn is_json(content_type: &str) -> bool {
    let mut parts = content_type.split(';').map(str::trim);
    parts.next().is_some_and(|media| media.eq_ignore_ascii_case("application/json"))
        && parts.filter(|parameter| !parameter.is_empty()).all(|parameter| {
            let Some((name, value)) = parameter.split_once('=') else {
                return false;
            };
            !name.trim().eq_ignore_ascii_case("charset")
                || ["utf-8", "utf8"].iter().any(|utf8| value.trim().trim_matches('"').eq_ignore_ascii_case(utf8))
        })
}

fn is(value: &HeaderValue, text: &str) -> bool {
    value.as_bytes().eq_ignore_ascii_case(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, header};

    use super::{accepts, expect_json};

    #[test]
    fn accept_is_read_with_its_weights() {
        let check = |values: &[&str], expected| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::ACCEPT, value.parse().unwrap());
            }
            assert_eq!(accepts(&headers, "text", "event-stream"), expected, "{values:?}");
        };
        for taken in [
            &[][..],
            &[""],
            &["text/event-stream"],
            &["TEXT/Event-Stream; q=0.1"],
            &["*/*"],
            &["text/*"],
            &["application/json, text/event-stream"],
            &["application/json", "text/event-stream"],
            &["*/*;q=0, text/event-stream"],
        ] {
            check(taken, true);
        }
        for refused in [
            &["application/json"][..],
            &["text/event-stream;q=0"],
            &["text/event-stream;q=0, */*"],
            &["*/*;q=0.0"],
            &["text/plain"],
            &["event-stream"],
            &["text/event-stream;q=x"],
            &["\u{e9}"],
        ] {
            check(refused, false);
        }
    }

    #[test]
    fn json_alone_is_taken() {
        let check = |lines: &[(header::HeaderName, &str)], expected: u16| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(name, value.parse().unwrap());
            }
            let status = expect_json(&headers).err().map_or(200, |rejection| rejection.status().as_u16());
            assert_eq!(status, expected, "{lines:?}");
        };
        for json in [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
            "application/json; profile=x;",
        ] {
            check(&[(header::CONTENT_TYPE, json)], 200);
        }
        for other in [
            "text/plain",
            "application/jsonp",
            "application/json-rpc",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=application/json",
            "text/plain; application/json",
            "application/json; charset=utf-16",
            "application/json, text/plain",
            "application/json; charset",
            "",
        ] {
            check(&[(header::CONTENT_TYPE, other)], 415);
        }
        check(&[], 415);
        let json = (header::CONTENT_TYPE, "application/json");
        check(&[json.clone(), json.clone()], 415);
        check(&[json.clone(), (header::CONTENT_ENCODING, "gzip")], 415);
        check(&[json.clone(), (header::CONTENT_ENCODING, "identity, br")], 415);
        check(&[json, (header::CONTENT_ENCODING, "identity")], 200);
    }
}
