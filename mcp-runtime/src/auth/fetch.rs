//! One HTTPS request to a key server or a provider: bounded in time and size, no redirects, no proxies.

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, RootCertStore, pki_types::ServerName};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::OnceCell,
    task::JoinSet,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::url::{Host, Named, Url};
use crate::{limits::Limits, secret::Secret};

/// What asks key servers and providers.
pub(super) struct Fetcher {
    time: Option<Duration>,
    most: usize,
    tls: OnceCell<TlsConnector>,
}

/// An answer with status 200.
#[derive(Debug)]
pub(super) struct Fetched {
    pub(super) body: Bytes,
    /// The `max-age` of its `Cache-Control`; zero where it says not to keep it.
    pub(super) max_age: Option<Duration>,
}

/// Why nothing came that could be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum FetchError {
    #[error("the host has no address that may be asked")]
    Address,
    #[error("{0}")]
    Connection(String),
    #[error("the answer is larger than {0} bytes")]
    Size(usize),
    #[error("the status is {0}")]
    Status(StatusCode),
    #[error("no complete answer within {} s", .0.as_secs_f32())]
    Time(Duration),
    #[error("the system has no root certificates (SSL_CERT_FILE names a file of them)")]
    Roots,
    /// The answer is complete and cannot be used.
    #[error("{0}")]
    Content(&'static str),
    /// The provider calls itself by another name.
    #[error("its discovery document names another issuer")]
    Issuer,
}

impl Fetcher {
    pub(super) fn new(limits: &Limits) -> Self {
        let most = limits.max_fetch_bytes.unwrap_or(usize::MAX);
        Self { time: limits.fetch, most, tls: OnceCell::new() }
    }

    /// One that trusts this certificate alone.
    #[cfg(test)]
    pub(super) fn trusting(limits: &Limits, root: rustls::pki_types::CertificateDer<'static>) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(root).unwrap();
        Self { tls: OnceCell::new_with(connector_with(roots).ok()), ..Self::new(limits) }
    }

    /// Asks for a document.
    pub(super) async fn get(&self, url: &Url, named: &Named) -> Result<Fetched, FetchError> {
        let request = self.request(Method::GET, url).body(Full::default());
        self.exchange(url, named, request).await
    }

    /// Sends a form, with the credentials of a client.
    pub(super) async fn post(
        &self,
        url: &Url,
        named: &Named,
        authorization: &Secret,
        form: String,
    ) -> Result<Fetched, FetchError> {
        let request = self
            .request(Method::POST, url)
            .header(header::AUTHORIZATION, authorization.expose())
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Full::from(form));
        self.exchange(url, named, request).await
    }

    fn request(&self, method: Method, url: &Url) -> http::request::Builder {
        Request::builder()
            .method(method)
            .uri(url.target())
            .header(header::HOST, url.authority())
            .header(header::ACCEPT, "application/json, application/jwk-set+json")
            .header(header::CONNECTION, "close")
            .header(header::USER_AGENT, concat!("mcp-runtime/", env!("CARGO_PKG_VERSION")))
    }

    async fn exchange(
        &self,
        url: &Url,
        named: &Named,
        request: http::Result<Request<Full<Bytes>>>,
    ) -> Result<Fetched, FetchError> {
        let request = request.map_err(|_| FetchError::Content("the URL cannot be asked"))?;
        let exchange = self.unhurried(url, named, request);
        match self.time {
            None => exchange.await,
            // It bounds the look-up of the name, the connection, the handshake and the whole answer together.
            Some(time) => tokio::time::timeout(time, exchange).await.unwrap_or(Err(FetchError::Time(time))),
        }
    }

    async fn unhurried(&self, url: &Url, named: &Named, request: Request<Full<Bytes>>) -> Result<Fetched, FetchError> {
        let stream = self.connect(url, named).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        // Ends with this function, however it ends.
        let mut driver = JoinSet::new();
        driver.spawn(connection);
        let response = sender.send_request(request).await.map_err(broken)?;
        if response.status() != StatusCode::OK {
            return Err(FetchError::Status(response.status()));
        }
        let max_age = max_age(response.headers());
        let mut body = response.into_body();
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(broken)?.into_data() else {
                continue;
            };
            if data.len() > self.most - bytes.len() {
                return Err(FetchError::Size(self.most));
            }
            bytes.extend_from_slice(&data);
        }
        Ok(Fetched { body: bytes.into(), max_age })
    }

    async fn connect(&self, url: &Url, named: &Named) -> Result<Stream, FetchError> {
        let stream = self.reach(url, named).await?;
        if !url.is_https {
            return Ok(Stream::Plain(stream));
        }
        let name = match &url.host {
            Host::Address(address) => ServerName::from(*address),
            Host::Name(name) => ServerName::try_from(name.clone()).map_err(|_| FetchError::Address)?,
        };
        let tls = self.tls.get_or_try_init(connector).await?;
        let stream = tls.connect(name, stream).await.map_err(broken)?;
        Ok(Stream::Tls(Box::new(stream)))
    }

    /// Connects to the first address of the host that may be asked and answers.
    async fn reach(&self, url: &Url, named: &Named) -> Result<TcpStream, FetchError> {
        let addresses: Vec<IpAddr> = match &url.host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => {
                let found = tokio::net::lookup_host((name.as_str(), url.port)).await.map_err(broken)?;
                found.map(|address| address.ip()).collect()
            }
        };
        let allowed = addresses.into_iter().filter(|address| named.allows(url, *address));
        let allowed: Vec<_> = allowed.map(|address| SocketAddr::new(address, url.port)).collect();
        first_of(&allowed, self.time, TcpStream::connect).await
    }
}

/// What the first of the addresses gives that answers. None but the last takes more than its share of the time: one that
/// swallows what it is sent must not keep the others from being tried.
async fn first_of<S, F>(
    addresses: &[SocketAddr],
    time: Option<Duration>,
    connect: impl Fn(SocketAddr) -> F,
) -> Result<S, FetchError>
where
    F: Future<Output = io::Result<S>>,
{
    let Some((last, before)) = addresses.split_last() else { return Err(FetchError::Address) };
    let shares = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
    for address in before {
        let connecting = connect(*address);
        let connected = match time {
            Some(time) => tokio::time::timeout(time / shares, connecting).await.ok(),
            None => Some(connecting.await),
        };
        if let Some(Ok(stream)) = connected {
            return Ok(stream);
        }
    }
    connect(*last).await.map_err(broken)
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher").field("time", &self.time).field("most", &self.most).finish_non_exhaustive()
    }
}

/// Trusts what the system trusts, or what `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
async fn connector() -> Result<TlsConnector, FetchError> {
    let found = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs).await.map_err(broken)?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(FetchError::Roots);
    }
    connector_with(roots)
}

fn connector_with(roots: RootCertStore) -> Result<TlsConnector, FetchError> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(broken)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn broken(error: impl std::error::Error) -> FetchError {
    // Libraries tell the cause behind a general word; the last one says most.
    let mut cause: &dyn std::error::Error = &error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    FetchError::Connection(cause.to_string())
}

fn max_age(headers: &HeaderMap) -> Option<Duration> {
    let mut age = None;
    for value in headers.get_all(header::CACHE_CONTROL) {
        for directive in value.to_str().ok()?.split(',') {
            let directive = directive.trim().to_ascii_lowercase();
            match directive.split_once('=') {
                None if directive == "no-store" || directive == "no-cache" => return Some(Duration::ZERO),
                Some(("max-age", seconds)) => {
                    let seconds = seconds.trim_matches('"').parse().ok()?;
                    age = Some(Duration::from_secs(seconds));
                }
                _ => {}
            }
        }
    }
    age
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::pending, io, net::SocketAddr, time::Duration};

    use super::{FetchError, first_of};

    #[tokio::test(start_paused = true)]
    async fn an_address_that_swallows_everything_leaves_time_for_the_next() {
        /// Ports say how an address behaves.
        async fn connect(address: SocketAddr) -> io::Result<u16> {
            match address.port() {
                1 => pending().await,
                2 => Err(io::ErrorKind::ConnectionRefused.into()),
                port => Ok(port),
            }
        }
        let check = async |ports: &[u16], expected: Option<u16>| {
            let addresses: Vec<_> = ports.iter().map(|port| SocketAddr::from(([192, 0, 2, 1], *port))).collect();
            let time = Duration::from_secs(5);
            let connected = tokio::time::timeout(time, first_of(&addresses, Some(time), connect)).await;
            assert_eq!(connected.ok().and_then(Result::ok), expected, "{ports:?}");
        };
        check(&[7], Some(7)).await;
        check(&[1, 7], Some(7)).await;
        check(&[1, 1, 2, 7, 8], Some(7)).await;
        check(&[1, 2], None).await;
        check(&[1], None).await;
        assert_eq!(first_of(&[], None, connect).await, Err(FetchError::Address));
    }
}
