//! The bearer token of a request: in one `Authorization` header, nowhere else.

use http::{HeaderMap, header::AUTHORIZATION};

use super::error::AuthError;

/// Longer tokens are refused unread.
const MAX_TOKEN_BYTES: usize = 32 * 1024;

/// The token of a request.
pub(super) fn token(headers: &HeaderMap) -> Result<&str, AuthError> {
    let mut sent = headers.get_all(AUTHORIZATION).iter();
    let value = match (sent.next(), sent.next()) {
        (None, _) => return Err(AuthError::Missing),
        (Some(_), Some(_)) => return Err(AuthError::InvalidRequest("there are two Authorization headers")),
        (Some(value), None) => value.as_bytes(),
    };
    let end = value.iter().position(|byte| *byte == b' ').unwrap_or(value.len());
    let (scheme, rest) = value.split_at(end);
    if !scheme.eq_ignore_ascii_case(b"bearer") {
        // A client that knows another scheme only has yet to learn of this one.
        return Err(AuthError::Missing);
    }
    let start = rest.iter().position(|byte| *byte != b' ').unwrap_or(rest.len());
    let token = &rest[start..];
    if token.len() > MAX_TOKEN_BYTES {
        return Err(AuthError::InvalidToken("the token is too long"));
    }
    let malformed = AuthError::InvalidToken("the token is malformed");
    match std::str::from_utf8(token) {
        Ok(text) if is_token(text) => Ok(text),
        _ => Err(malformed),
    }
}

/// `b64token` of RFC 6750.
fn is_token(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !body.is_empty() && body.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~+/".contains(&b))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn one_credential_in_one_place() {
        let malformed = Err(AuthError::InvalidToken("the token is malformed"));
        let check = |values: &[&[u8]], expected: Result<&str, AuthError>| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, HeaderValue::from_bytes(value).unwrap());
            }
            assert_eq!(token(&headers), expected, "{values:?}");
        };
        check(&[], Err(AuthError::Missing));
        check(&[b"Bearer a.b-c_d~e+f/g=="], Ok("a.b-c_d~e+f/g=="));
        check(&[b"bEARER  t"], Ok("t"));
        check(&[b"Basic dTpw"], Err(AuthError::Missing));
        check(&[b"Bearerx t"], Err(AuthError::Missing));
        check(&[b""], Err(AuthError::Missing));
        for value in
            ["Bearer", "Bearer ", "Bearer a b", "Bearer a,b", "Bearer a b=c", "Bearer =", "Bearer a=b", "Bearer \"a\""]
        {
            check(&[value.as_bytes()], malformed.clone());
        }
        check(&[b"Bearer \xff"], malformed.clone());
        check(&[b"Bearer a", b"Bearer a"], Err(AuthError::InvalidRequest("there are two Authorization headers")));
        let long = format!("Bearer {}", "a".repeat(MAX_TOKEN_BYTES + 1));
        check(&[long.as_bytes()], Err(AuthError::InvalidToken("the token is too long")));
    }
}
