//! Documents over TLS, from a server with a certificate of its own authority.

use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use tokio_rustls::TlsAcceptor;

use super::{
    super::{
        fetch::{FetchError, Fetcher},
        url::{Named, Url},
    },
    *,
};

const AUTHORITY: &[u8] = include_bytes!("../fixtures/tls-ca.cert.pem");
const CERTIFICATE: &[u8] = include_bytes!("../fixtures/tls-localhost.cert.pem");
const KEY: &[u8] = include_bytes!("../fixtures/tls-localhost.key.pem");

/// The port of a server for `localhost` that answers `{}` to everybody.
async fn server() -> u16 {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(CERTIFICATE).unwrap()],
            PrivateKeyDer::from_pem_slice(KEY).unwrap(),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
            let _ = stream.shutdown().await;
        }
    });
    port
}

async fn fetched(fetcher: &Fetcher, url: String) -> Result<String, FetchError> {
    let fetched = fetcher.get(&Url::parse(&url).unwrap(), &Named::ByOperator).await;
    fetched.map(|fetched| String::from_utf8(fetched.body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_certificate_must_be_trusted_and_of_the_host() {
    let port = server().await;
    let root = |pem: &[u8]| CertificateDer::from_pem_slice(pem).unwrap();
    let trusting = Fetcher::trusting(&Limits::default(), root(AUTHORITY));
    assert_eq!(fetched(&trusting, format!("https://localhost:{port}/")).await, Ok("{}".into()));
    // The same server by another name, and by plain HTTP.
    for url in [format!("https://127.0.0.1:{port}/"), format!("http://localhost:{port}/")] {
        assert!(matches!(fetched(&trusting, url).await, Err(FetchError::Connection(_))));
    }
    // What the system trusts, and another authority.
    let other = include_bytes!("../fixtures/rsa2048.cert.pem");
    for fetcher in [Fetcher::new(&Limits::default()), Fetcher::trusting(&Limits::default(), root(other))] {
        let refused = fetched(&fetcher, format!("https://localhost:{port}/")).await;
        assert!(matches!(refused, Err(FetchError::Connection(_) | FetchError::Roots)), "{refused:?}");
    }
}

#[tokio::test]
async fn time_bounds_the_handshake_too() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let time = Duration::from_millis(100);
    let fetcher = Fetcher::new(&Limits { fetch: Some(time), ..Limits::default() });
    assert_eq!(fetched(&fetcher, format!("https://localhost:{port}/")).await, Err(FetchError::Time(time)));
}
