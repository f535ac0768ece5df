//! The head of a request as it arrives: where it ends, how long its body is, and whether any parser could see it otherwise.
//!
//! hyper takes a head that states its body's length twice, and drops one of the two before anybody can see it. So the
//! bytes are read once here, before hyper gets them.

use http::HeaderValue;
use memchr::memchr;

use super::rejection::Rejection;
use crate::limits::Limits;

/// hyper takes no longer body, and refuses it in words for something else.
const MOST_BYTES: u64 = u64::MAX - 2;

/// The limits on a head.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeadLimits {
    line: usize,
    bytes: usize,
    count: usize,
}

impl HeadLimits {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            line: limits.max_request_line_bytes.unwrap_or(usize::MAX),
            bytes: limits.max_header_bytes.unwrap_or(usize::MAX),
            count: limits.max_headers.unwrap_or(usize::MAX),
        }
    }

    /// More bytes than any head has that keeps to the limits.
    pub(super) fn whole(&self) -> usize {
        const BLANK_LINES: usize = 4096;
        self.line.saturating_add(self.bytes).saturating_add(BLANK_LINES)
    }
}

/// A head that is being read; bytes are looked at once, however they come.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// Where the line begins that is not over yet.
    line: usize,
    /// Up to where no line end was found.
    searched: usize,
    has_request_line: bool,
    header_bytes: usize,
    headers: usize,
    length: Option<u64>,
    chunked: bool,
}

/// A head that is whole.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Whole {
    /// How many bytes it has.
    pub(super) end: usize,
    /// What follows it.
    pub(super) body: BodyLength,
}

/// How the end of a body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyLength {
    Known(u64),
    Chunked,
}

impl Head {
    /// Goes on reading. `bytes` is all that has come since the head's beginning.
    pub(super) fn read(&mut self, bytes: &[u8], limits: &HeadLimits) -> Result<Option<Whole>, Rejection> {
        while let Some(found) = memchr(b'\n', &bytes[self.searched..]) {
            let end = self.searched + found;
            let line = &bytes[self.line..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            self.line = end + 1;
            self.searched = end + 1;
            if !self.has_request_line {
                // Empty lines before a request are passed over, as the standard wants.
                if !line.is_empty() {
                    self.request_line(line, limits)?;
                }
            } else if line.is_empty() {
                return self.whole(end + 1).map(Some);
            } else {
                self.header_line(line, limits)?;
            }
        }
        self.searched = bytes.len();
        let unfinished = bytes.len() - self.line;
        if !self.has_request_line && unfinished > limits.line {
            return Err(Rejection::LongRequestLine);
        }
        if self.header_bytes.saturating_add(unfinished) > limits.bytes && self.has_request_line {
            return Err(Rejection::LargeHead);
        }
        if bytes.len() > limits.whole() {
            return Err(Rejection::LargeHead);
        }
        Ok(None)
    }

    fn request_line(&mut self, line: &[u8], limits: &HeadLimits) -> Result<(), Rejection> {
        if line.len() > limits.line {
            return Err(Rejection::LongRequestLine);
        }
        if !line.ends_with(b" HTTP/1.1") && !line.ends_with(b" HTTP/1.0") {
            return Err(Rejection::BadRequestLine);
        }
        self.has_request_line = true;
        Ok(())
    }

    fn header_line(&mut self, line: &[u8], limits: &HeadLimits) -> Result<(), Rejection> {
        self.headers += 1;
        self.header_bytes += line.len();
        if self.headers > limits.count || self.header_bytes > limits.bytes {
            return Err(Rejection::LargeHead);
        }
        let Some(colon) = memchr(b':', line) else {
            return Err(Rejection::BadHeaderLine);
        };
        let (name, value) = (&line[..colon], &line[colon + 1..]);
        // A blank before the name continues the line above for some parsers; one after it hides the name from others.
        if name.is_empty() || name[0].is_ascii_whitespace() || name[name.len() - 1].is_ascii_whitespace() {
            return Err(Rejection::BadHeaderLine);
        }
        if name.len() == "content-length".len() && name.eq_ignore_ascii_case(b"content-length") {
            let length = decimal(value.trim_ascii()).ok_or(Rejection::BadFraming)?;
            if length > MOST_BYTES {
                return Err(Rejection::LargeBody);
            }
            if self.length.is_some_and(|before| before != length) {
                return Err(Rejection::BadFraming);
            }
            self.length = Some(length);
        }
        if name.len() == "transfer-encoding".len() && name.eq_ignore_ascii_case(b"transfer-encoding") {
            if self.chunked || !value.trim_ascii().eq_ignore_ascii_case(b"chunked") {
                return Err(Rejection::BadFraming);
            }
            self.chunked = true;
        }
        Ok(())
    }

    fn whole(&self, end: usize) -> Result<Whole, Rejection> {
        let body = match (self.chunked, self.length) {
            (true, Some(_)) => return Err(Rejection::BadFraming),
            (true, None) => BodyLength::Chunked,
            (false, length) => BodyLength::Known(length.unwrap_or(0)),
        };
        Ok(Whole { end, body })
    }
}

/// The one `Origin` of a head that was refused, as far as it was read.
pub(super) fn origin(head: &[u8]) -> Option<HeaderValue> {
    let mut lines = head.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    // The request line is the first that is not blank.
    lines.find(|line| !line.trim_ascii().is_empty())?;
    let headers = lines.map(<[u8]>::trim_ascii_end).take_while(|line| !line.is_empty());
    let mut origins = headers.filter_map(|line| {
        let colon = memchr(b':', line)?;
        line[..colon].eq_ignore_ascii_case(b"origin").then(|| line[colon + 1..].trim_ascii())
    });
    match (origins.next(), origins.next()) {
        (Some(origin), None) => HeaderValue::from_bytes(origin).ok(),
        _ => None,
    }
}

/// Whether a head that was refused is there to its end.
pub(super) fn is_whole(head: &[u8]) -> bool {
    head.windows(4).any(|end| end == b"\r\n\r\n") || head.windows(2).any(|end| end == b"\n\n")
}

/// The number that digits are; none where there is anything else, or nothing, or more than 64 bits.
pub(super) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |number, digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BodyLength, Head, HeadLimits, Rejection, Whole, origin};
    use crate::limits::Limits;

    fn read_by(step: usize, text: &str) -> Result<Option<Whole>, Rejection> {
        let limits = HeadLimits::new(&Limits::default());
        let mut head = Head::default();
        for end in (step..text.len()).step_by(step) {
            if let Some(whole) = head.read(&text.as_bytes()[..end], &limits)? {
                return Ok(Some(whole));
            }
        }
        head.read(text.as_bytes(), &limits)
    }

    #[test]
    fn a_head_ends_where_every_parser_says_or_is_refused() {
        let check = |text: &str, expected: Result<Option<(usize, BodyLength)>, Rejection>| {
            for step in [1, 7, 100_000] {
                let read = read_by(step, text).map(|whole| whole.map(|whole| (whole.end, whole.body)));
                assert_eq!(read, expected, "{text:?} by {step}");
            }
        };
        let post = |headers: &str| format!("POST / HTTP/1.1\r\nHost: a\r\n{headers}\r\n");
        let whole = |headers: &str, body| check(&post(headers), Ok(Some((post(headers).len(), body))));
        let refused = |headers: &str, rejection| check(&post(headers), Err(rejection));

        check("", Ok(None));
        check("GET / HTTP/1.1\r\nHost: a\r\n", Ok(None));
        check("GET / HTTP/1.1\r\n\r\nrest", Ok(Some((18, BodyLength::Known(0)))));
        check("\r\n\r\nGET / HTTP/1.0\n\n", Ok(Some((20, BodyLength::Known(0)))));
        check("GET /\r\n\r\n", Err(Rejection::BadRequestLine));
        check("PRI * HTTP/2.0\r\n\r\n", Err(Rejection::BadRequestLine));
        check("\u{16}\u{3}\u{1}\n", Err(Rejection::BadRequestLine));

        whole("Content-Length: 5\r\n", BodyLength::Known(5));
        whole("content-length:5\r\nCONTENT-LENGTH: 5 \r\n", BodyLength::Known(5));
        whole("Transfer-Encoding: Chunked\r\n", BodyLength::Chunked);
        for bad in [
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked, identity\r\n",
            "Transfer-Encoding: identity\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
            "Transfer-Encoding: \r\n",
            "Content-Length: 5\r\nContent-Length: 6\r\n",
            "Content-Length: 5, 5\r\n",
            "Content-Length: +5\r\n",
            "Content-Length: -5\r\n",
            "Content-Length: 0x5\r\n",
            "Content-Length: 5 5\r\n",
            "Content-Length: \r\n",
            "Content-Length: 99999999999999999999\r\n",
        ] {
            refused(bad, Rejection::BadFraming);
        }
        for bad in ["Content-Length : 5\r\n", " Content-Length: 5\r\n", "X: a\r\n\tb: c\r\n", "nothing\r\n", ": x\r\n"]
        {
            refused(bad, Rejection::BadHeaderLine);
        }
        whole("Content-Length: 18446744073709551613\r\n", BodyLength::Known(u64::MAX - 2));
        refused("Content-Length: 18446744073709551614\r\n", Rejection::LargeBody);
        refused("Content-Length: 18446744073709551615\r\n", Rejection::LargeBody);
        refused("Content-Length: 18446744073709551616\r\n", Rejection::BadFraming);
        refused(&"X: y\r\n".repeat(100), Rejection::LargeHead);
        refused(&format!("X: {}\r\n", "y".repeat(33_000)), Rejection::LargeHead);
        whole(&format!("X: {}\r\n", "y".repeat(32_000)), BodyLength::Known(0));
    }

    #[test]
    fn the_origin_of_a_refused_head_is_known_where_it_was_read() {
        let check = |head: &str, expected: Option<&str>| {
            assert_eq!(origin(head.as_bytes()).as_ref().map(|origin| origin.to_str().unwrap()), expected, "{head:?}");
        };
        check("GET / HTTP/1.1\r\nOrigin: https://a\r\n\r\n", Some("https://a"));
        check("\r\nnonsense\norigin:https://a \nX : y", Some("https://a"));
        check("GET / HTTP/1.1\r\nOrigin: https://a", None);
        check("Origin: https://a\r\n\r\n", None);
        check("GET / HTTP/1.1\r\nOrigin: https://a\r\nOrigin: https://a\r\n\r\n", None);
        check("POST / HTTP/1.1\r\n\r\nOrigin: https://a\r\n", None);
        check("GET / HTTP/1.1\r\nX-Origin: https://a\r\nOrigin\r\n", None);
        check("GET / HTTP/1.1\r\nOrigin: \u{0}\r\n", None);
        check("", None);
    }

    #[test]
    fn limits_bite_before_the_head_is_over() {
        let check = |text: String, expected| assert_eq!(read_by(1000, &text), Err(expected));
        check(format!("GET /{}", "a".repeat(9000)), Rejection::LongRequestLine);
        check(format!("GET /{} HTTP/1.1\r\n", "a".repeat(9000)), Rejection::LongRequestLine);
        check(format!("GET / HTTP/1.1\r\nX: {}", "a".repeat(33_000)), Rejection::LargeHead);
        check("\r\n".repeat(30_000), Rejection::LargeHead);
    }

    proptest! {
        #[test]
        fn no_bytes_panic_and_steps_do_not_matter(bytes in "(GET|X) [ -~\r\n\t\\x00]{0,200}", step in 1usize..9) {
            prop_assert_eq!(read_by(step, &bytes), read_by(usize::MAX, &bytes));
        }
    }
}
