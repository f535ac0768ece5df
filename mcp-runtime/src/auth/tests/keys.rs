//! Which keys are taken: from PEM, and from a published set.

use super::{
    super::keys::{Key, KeySet},
    *,
};

#[test]
fn public_keys_in_pem() {
    use Algorithm::{ES256, ES384, ES512, EdDSA, HS256, PS512, RS256};
    let check = |pem: &str, listed: &[Algorithm], expected: Result<(), &str>| {
        let found = Key::from_pem(pem, listed);
        let found = found.as_ref().map(|_| ()).map_err(String::as_str);
        assert_eq!(found, expected, "{listed:?}\n{pem}");
    };
    const RSA: &str = include_str!("../fixtures/rsa2048.pub.pem");
    check(RSA, &[RS256, PS512], Ok(()));
    check(include_str!("../fixtures/rsa2048.pkcs1.pub.pem"), &[RS256, PS512], Ok(()));
    check(include_str!("../fixtures/ec-P-256.pub.pem"), &[ES256], Ok(()));
    check(include_str!("../fixtures/ec-P-384.pub.pem"), &[ES384], Ok(()));
    check(include_str!("../fixtures/ec-P-521.pub.pem"), &[ES512], Ok(()));
    check(include_str!("../fixtures/ed25519.pub.pem"), &[EdDSA], Ok(()));
    // As variables have it.
    check(&RSA.trim().replace('\n', "\\n"), &[RS256], Ok(()));
    check(&RSA.replace('\n', "\r\n"), &[RS256], Ok(()));
    check(&format!("a comment\n{RSA}"), &[RS256], Ok(()));
    let unfit = Err("does not fit ES384; this key is for ES256");
    check(include_str!("../fixtures/ec-P-256.pub.pem"), &[ES256, ES384], unfit);
    let unfit = Err("does not fit EdDSA; this key is for RS256, RS384, RS512, PS256, PS384, PS512");
    check(RSA, &[RS256, EdDSA], unfit);
    check(
        include_str!("../fixtures/rsa1024.pub.pem"),
        &[RS256],
        Err("is an RSA key of fewer than 2048 or more than 8192 bits"),
    );
    let unreadable = Err("is no key that can be read; RSA, EC (P-256, P-384, P-521) and Ed25519 keys are");
    check(include_str!("../fixtures/ec-secp256k1.pub.pem"), &[ES256], unreadable);
    check("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", &[RS256], unreadable);
    check(
        include_str!("../fixtures/rsa2048.cert.pem"),
        &[RS256],
        Err("is a certificate; take its key out with `openssl x509 -pubkey -noout`"),
    );
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
        check(
            &format!("-----BEGIN {label}-----\nhunter2\n-----END {label}-----"),
            &[RS256],
            Err("is a private key, which belongs to the issuer alone; give its public key (`openssl pkey -pubout`)"),
        );
    }
    let no_pem = Err("is no PEM text (-----BEGIN PUBLIC KEY-----)");
    for text in ["", "hunter2", "-----BEGIN PUBLIC KEY-----", &RSA.replace("MII", "M I*"), &RSA.replace("END", "end")] {
        check(text, &[RS256], no_pem);
    }
    check("-----BEGIN CSR-----\nAAAA\n-----END CSR-----", &[RS256], Err("is PEM, but no PUBLIC KEY"));
    // HS algorithms beside a public key are refused elsewhere, by another text.
    check(RSA, &[HS256], Ok(()));
}

#[test]
fn published_keys_one_by_one() {
    let check = |jwk: Value, taken: usize| {
        let set = KeySet::from_json(key_set(std::slice::from_ref(&jwk)).as_bytes(), &Algorithm::ALL, 100).unwrap();
        assert_eq!(set.len(), taken, "{jwk}");
    };
    for algorithm in Algorithm::ALL {
        let signer = Signer::of(algorithm);
        let taken = usize::from(!algorithm.is_hmac());
        check(signer.jwk(json!({})), taken);
        check(signer.jwk(json!({"kid": "a", "use": "sig", "key_ops": ["verify"], "alg": algorithm.name()})), taken);
        for more in [
            json!({"use": "enc"}),
            json!({"use": 1}),
            json!({"key_ops": ["sign", "encrypt"]}),
            json!({"key_ops": []}),
            json!({"key_ops": "verify"}),
            json!({"alg": "none"}),
            json!({"alg": "HS256"}),
            json!({"alg": "RSA-OAEP"}),
            json!({"alg": 1}),
            json!({"kid": 1}),
            json!({"kty": "oct"}),
            json!({"kty": null}),
            json!({"kty": "rsa"}),
            json!({"x": null, "n": null}),
            json!({"x": "AA", "n": "AA"}),
            json!({"x": 1, "n": 1}),
            json!({"x": "====", "n": "===="}),
        ] {
            check(signer.jwk(more), 0);
        }
    }
    let ec = Signer::of(Algorithm::ES256);
    check(ec.jwk(json!({"crv": "P-384"})), 0);
    check(ec.jwk(json!({"crv": "secp256k1"})), 0);
    check(ec.jwk(json!({"alg": "ES384"})), 0);
    check(ec.jwk(json!({"y": URL_SAFE_NO_PAD.encode([1; 32])})), 0);
    check(Signer::of(Algorithm::EdDSA).jwk(json!({"crv": "X25519"})), 0);
    let rsa = Signer::of(Algorithm::RS256);
    check(rsa.jwk(json!({"n": URL_SAFE_NO_PAD.encode([255; 128])})), 0);
    check(rsa.jwk(json!({"n": URL_SAFE_NO_PAD.encode([255; 2000])})), 0);
    check(rsa.jwk(json!({"e": "AA"})), 0);
    for wrong in [json!(null), json!([]), json!("key"), json!(1), json!({})] {
        check(wrong, 0);
    }
    // Only a key of a listed algorithm is of use.
    let listed = [Algorithm::RS256];
    let set = KeySet::from_json(key_set(&[ec.jwk(json!({})), rsa.jwk(json!({}))]).as_bytes(), &listed, 100).unwrap();
    assert_eq!(set.len(), 1);
}

#[test]
fn sets_that_are_none() {
    let check = |text: &str, expected: Option<&str>| {
        let found = KeySet::from_json(text.as_bytes(), &Algorithm::ALL, 2);
        assert_eq!(found.err(), expected, "{text}");
    };
    check(r#"{"keys": []}"#, None);
    check(r#"{"keys": [{}, {}], "more": 1}"#, None);
    check(r#"{"keys": [{}, {}, {}]}"#, Some("the key set has more keys than the limit `maxKeys`"));
    for text in ["", "[]", "{}", r#"{"keys": {}}"#, r#"{"keys": [{}"#, "<!DOCTYPE html><html></html>", "\u{0}"] {
        check(text, Some("the answer is no key set"));
    }
}
