//! Many clients over one connection, as a proxy carries them.

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

use super::*;

/// A connection that stays open.
struct Kept(BufReader<TcpStream>);

impl Kept {
    async fn open(guarded: &Guarded) -> Self {
        Self(BufReader::new(TcpStream::connect(guarded.address).await.expect("a connection")))
    }

    /// Calls a tool with these header lines; the status and the body.
    async fn call(&mut self, tool: &str, lines: &str) -> (u16, String) {
        let body = call(tool).to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{lines}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.0.get_mut().write_all(request.as_bytes()).await.expect("sent");
        timeout(PATIENCE, self.answer()).await.expect("an answer")
    }

    async fn answer(&mut self) -> (u16, String) {
        let (mut head, mut line) = (String::new(), String::new());
        while self.0.read_line(&mut line).await.expect("a line") > 2 {
            head.push_str(&std::mem::take(&mut line).to_ascii_lowercase());
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
        let mut body = vec![0; length.parse().expect("a number")];
        self.0.read_exact(&mut body).await.expect("a body");
        (head[9..12].parse().expect("a status"), String::from_utf8(body).expect("text"))
    }
}

#[tokio::test]
async fn each_request_is_its_own_clients() {
    let auths = [
        (jwt_auth(json!({})), "Authorization", [bearer(json!({})), bearer(json!({"sub": "bob", "scope": "admin"}))]),
        (
            json!({"type": "apikey", "options": {"keys": [
                {"key": "the-key-of-ada-and-of-her-alone", "id": "ada", "scopes": ["read"]},
                {"key": "the-key-of-bob-and-of-him-alone", "id": "bob", "scopes": ["admin"]},
            ]}}),
            "X-API-Key",
            ["the-key-of-ada-and-of-her-alone".into(), "the-key-of-bob-and-of-him-alone".into()],
        ),
    ];
    for (auth, name, [ada, bob]) in auths {
        let guarded = Guarded::with(json!({"auth": auth, "sessions": false})).await;
        let mut kept = Kept::open(&guarded).await;
        let (ada, bob) = (format!("{name}: {ada}\r\n"), format!("{name}: {bob}\r\n"));
        let calls =
            [(&ada, " ada "), (&ada, " ada "), (&bob, " bob "), (&bob, " bob "), (&ada, " ada "), (&bob, " bob ")];
        for (lines, expected) in calls {
            let (status, body) = kept.call("who", lines).await;
            assert!(status == 200 && body.contains(expected), "{expected}: {status} {body}");
            // What a function asks for is asked with each call.
            let (status, body) = kept.call("admin", lines).await;
            assert_eq!(status, if expected == " bob " { 200 } else { 403 }, "{expected}: {body}");
        }
        // Nobody comes in by what another one said before. (The connection ends with the refusal: its body is not read.)
        assert_eq!(kept.call("who", &ada).await.0, 200);
        assert_eq!(kept.call("who", "").await.0, 401);
        for lines in
            [format!("{ada}{ada}"), format!("{ada}{bob}"), ada.replace(name, "X-Other"), ada.replace("\r\n", "x\r\n")]
        {
            let mut kept = Kept::open(&guarded).await;
            assert_eq!(kept.call("who", &ada).await.0, 200);
            let (status, body) = kept.call("who", &lines).await;
            assert!(matches!(status, 400 | 401), "{lines}: {status} {body}");
        }
    }
}
