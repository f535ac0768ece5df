//! URLs of key servers and providers: which ones may be asked at all, and at which addresses.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// An `https` URL, or an `http` one of this machine.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Url {
    text: String,
    pub(crate) is_https: bool,
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// Host and port as they stand in the URL.
    authority: std::ops::Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Host {
    Name(String),
    Address(IpAddr),
}

impl Url {
    /// Takes a URL apart; the error completes "must be …".
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        const PLAIN: &str = "must be an https:// URL, or an http:// one of this machine (localhost, 127.0.0.1, [::1])";
        let (is_https, rest) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(PLAIN),
        };
        if text.chars().any(|c| !c.is_ascii_graphic() || "\\\"<>^`{|}#".contains(c)) {
            return Err("must be a plain URL, without blanks, quotes or a fragment");
        }
        let start = text.len() - rest.len();
        let length = rest.find(['/', '?']).unwrap_or(rest.len());
        let authority = &rest[..length];
        if authority.contains('@') {
            return Err("must not hold a user or a password");
        }
        let (host, port) = split_port(authority, is_https).ok_or("must have a host, with or without a port")?;
        let host = Host::parse(host).ok_or("must have a host name or an address")?;
        if !is_https && !host.is_loopback() {
            return Err(PLAIN);
        }
        Ok(Self { text: text.to_owned(), is_https, host, port, authority: start..start + length })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// What stands in a request's `Host`.
    pub(crate) fn authority(&self) -> &str {
        &self.text[self.authority.clone()]
    }

    /// What stands in a request line.
    pub(crate) fn target(&self) -> String {
        let target = &self.text[self.authority.end..];
        if target.starts_with('/') { target.to_owned() } else { format!("/{target}") }
    }

    /// The path alone.
    pub(crate) fn path(&self) -> &str {
        let target = &self.text[self.authority.end..];
        target.split('?').next().unwrap_or("")
    }

    pub(crate) fn has_query(&self) -> bool {
        self.text[self.authority.end..].contains('?')
    }

    /// Scheme, host and port.
    pub(crate) fn origin(&self) -> &str {
        &self.text[..self.authority.end]
    }
}

impl fmt::Display for Url {
    // Without the query, which may hold a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.split('?').next().unwrap_or(""))
    }
}

/// Whose word a URL is. Nobody else's leads into the operator's own network.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Named {
    /// It stands in the options.
    ByOperator,
    /// It stands in what was read from a URL of this host.
    ByDocumentOf(Host),
}

impl Named {
    /// Whether a URL of this origin may be asked at an address that its host has.
    ///
    /// An address in the options is taken at its word; a name there may lead into a private network (most companies
    /// keep their provider in one), but never to a link-local address, where clouds keep their credentials. `http` stays
    /// on this machine. What a document names is reached at public addresses, or at the host the document came from.
    pub(crate) fn allows(&self, url: &Url, address: IpAddr) -> bool {
        let is_loopback = is_loopback(address);
        if !url.is_https && !is_loopback {
            return false;
        }
        match self {
            Self::ByDocumentOf(host) if *host != url.host => {
                is_public(address) || (is_loopback && host.is_loopback() && url.host.is_loopback())
            }
            _ => match url.host {
                Host::Address(named) => named == address,
                Host::Name(_) => is_public(address) || is_loopback || is_private(address),
            },
        }
    }
}

impl Host {
    fn parse(text: &str) -> Option<Self> {
        if let Some(inside) = text.strip_prefix('[') {
            let address = inside.strip_suffix(']')?.parse::<Ipv6Addr>().ok()?;
            return Some(Self::Address(IpAddr::V6(address)));
        }
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Some(Self::Address(IpAddr::V4(address)));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let last = text.trim_end_matches('.').rsplit('.').next()?;
        // `127.1`, `0x7f000001` and the like are addresses to a resolver.
        let is_number = last.starts_with(|c: char| c.is_ascii_digit());
        let right = !text.is_empty() && text.len() <= 253 && !text.starts_with('.') && text.chars().all(plain);
        (right && !is_number).then(|| Self::Name(text.to_ascii_lowercase()))
    }

    pub(crate) fn is_loopback(&self) -> bool {
        match self {
            Self::Name(name) => name == "localhost" || name.ends_with(".localhost"),
            Self::Address(address) => is_loopback(*address),
        }
    }
}

fn split_port(authority: &str, is_https: bool) -> Option<(&str, u16)> {
    let after_address = authority.rfind(']').map_or(0, |end| end + 1);
    match authority[after_address..].find(':') {
        None => Some((authority, if is_https { 443 } else { 80 })),
        Some(colon) => {
            let (host, port) = authority.split_at(after_address + colon);
            let digits = port[1..].bytes().all(|b| b.is_ascii_digit());
            let port = port[1..].parse().ok().filter(|port| digits && *port > 0)?;
            Some((host, port))
        }
    }
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Networks of a company or a cluster.
fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.is_private() || is_carrier(v4),
        IpAddr::V6(v6) => v6.is_unique_local(),
    }
}

fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_documentation()
                || is_carrier(v4)
                || a == 0
                || a >= 240
                || (a == 192 && b == 0 && v4.octets()[2] == 0)
                || (a == 198 && (b & 0xfe) == 18))
        }
        IpAddr::V6(v6) => {
            let first = v6.segments()[0];
            // Only what is given out as global unicast; not the tunnels that hold an IPv4 address (6to4, Teredo).
            (first & 0xe000) == 0x2000 && first != 0x2002 && !(first == 0x2001 && v6.segments()[1] < 0x0200)
        }
    }
}

/// Shared between a provider and its customers (RFC 6598).
fn is_carrier(v4: Ipv4Addr) -> bool {
    let [a, b, ..] = v4.octets();
    a == 100 && (b & 0xc0) == 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_that_may_be_asked() {
        let check = |text: &str, expected: Option<(&str, &str, u16)>| {
            let found = Url::parse(text);
            let found = found.as_ref().ok().map(|url| (url.authority(), url.target(), url.port));
            let expected = expected.map(|(authority, target, port)| (authority, target.to_owned(), port));
            assert_eq!(found, expected, "{text}");
        };
        check("https://idp.example/jwks?a=b", Some(("idp.example", "/jwks?a=b", 443)));
        check("https://idp.example?a", Some(("idp.example", "/?a", 443)));
        check("https://idp.example:8443", Some(("idp.example:8443", "/", 8443)));
        check("https://10.0.0.1/x", Some(("10.0.0.1", "/x", 443)));
        check("http://localhost:8080/a", Some(("localhost:8080", "/a", 8080)));
        check("http://LOCALHOST/a", Some(("LOCALHOST", "/a", 80)));
        check("http://127.0.0.1/a", Some(("127.0.0.1", "/a", 80)));
        check("http://[::1]:1/a", Some(("[::1]:1", "/a", 1)));
        for wrong in [
            "http://idp.example/jwks",
            "http://10.0.0.1/",
            "http://localhost.evil.example/",
            "http://127.0.0.1.evil.example/",
            "http://0x7f000001/",
            "https://2130706433/",
            "https://127.1/",
            "https://u:p@idp.example/",
            "https://idp.example/#f",
            "https://idp.example/a b",
            "https://idp.example\\@evil",
            "https://idp.example:0/",
            "https://idp.example:+1/",
            "https:///x",
            "https://",
            "ftp://idp.example/",
            "file:///etc/passwd",
            "idp.example",
            "",
        ] {
            check(wrong, None);
        }
    }

    #[test]
    fn addresses_that_may_be_reached() {
        let check = |url: &str, named: &Named, address: &str, allowed: bool| {
            let url = Url::parse(url).unwrap();
            assert_eq!(named.allows(&url, address.parse().unwrap()), allowed, "{url} {named:?} {address}");
        };
        let operator = Named::ByOperator;
        let host = |url: &str| Named::ByDocumentOf(Url::parse(url).unwrap().host);
        let document = host("https://idp.example");
        let loopback = host("http://localhost");
        for (address, by_operator, by_document) in [
            ("93.184.216.34", true, true),
            ("2606:4700::1", true, true),
            ("10.1.2.3", true, false),
            ("100.64.0.1", true, false),
            ("fd00::1", true, false),
            ("127.0.0.1", true, false),
            ("::ffff:127.0.0.1", true, false),
            ("169.254.169.254", false, false),
            ("::ffff:169.254.169.254", false, false),
            ("fe80::1", false, false),
            ("0.0.0.0", false, false),
            ("224.0.0.1", false, false),
            ("2002:7f00:1::", false, false),
            ("64:ff9b::7f00:1", false, false),
        ] {
            check("https://keys.example/", &operator, address, by_operator);
            check("https://keys.example/", &document, address, by_document);
            // The document's own host is as good as the operator's word.
            check("https://idp.example/", &document, address, by_operator);
        }
        check("https://169.254.1.1/", &operator, "169.254.1.1", true);
        check("https://169.254.1.1/", &document, "169.254.1.1", false);
        check("https://10.0.0.1/", &document, "10.0.0.1", false);
        check("http://localhost/", &operator, "127.0.0.1", true);
        check("http://localhost/", &operator, "93.184.216.34", false);
        check("http://localhost/", &document, "127.0.0.1", false);
        check("http://127.0.0.1/", &loopback, "127.0.0.1", true);
        check("https://keys.example/", &loopback, "127.0.0.1", false);
    }
}
