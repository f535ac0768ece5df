//! States that open, and all that do not.

use proptest::prelude::*;

use super::*;

const SECRETS: [&str; 3] = [
    "0123456789abcdef0123456789abcdef",
    "another secret of thirty-two bytes or more",
    "a third one, thirty-two bytes, too",
];

fn seal(secrets: &[&str]) -> Seal {
    let secrets: Vec<_> = secrets.iter().map(|secret| Secret::from(*secret)).collect();
    Seal::new(&secrets, &Limits::default()).unwrap()
}

fn bond(params: &str) -> Bond {
    let params = RawValue::from_string(params.to_owned()).unwrap();
    Bond::new(None, "tools/call", Some(&params))
}

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}

#[test]
fn a_state_opens_for_the_request_it_was_sealed_for() {
    let (seal, bond) = (seal(&SECRETS[..1]), bond(r#"{"name":"a"}"#));
    let state = seal.close(&bond, now(), b"content").unwrap();
    assert_eq!(seal.open(&bond, now(), &state).unwrap(), b"content");
    assert_ne!(state, seal.close(&bond, now(), b"content").unwrap(), "no two states are equal");
    assert!(state.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{state}");
}

#[test]
fn keys_follow_one_another() {
    let [old, new, other] = SECRETS;
    let bond = bond("{}");
    let check = |sealed_by: &[&str], opened_by: &[&str], opens: bool| {
        let state = seal(sealed_by).close(&bond, now(), b"x").unwrap();
        assert_eq!(seal(opened_by).open(&bond, now(), &state).is_ok(), opens, "{sealed_by:?} {opened_by:?}");
    };
    check(&[old], &[old], true);
    check(&[old], &[new, old], true);
    check(&[new, old], &[old, new], true);
    check(&[new, old], &[old], false);
    check(&[old], &[new, other], false);
    // Each process has a key of its own where none is given.
    check(&[], &[], false);
    check(&[], &[old], false);
}

#[test]
fn a_state_belongs_to_its_owner_method_and_parameters() {
    let params = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
    let owner = OwnerKey::of_test("ann");
    let of = |owner: Option<&OwnerKey>, method: &str, text: &str| Bond::new(owner, method, Some(&params(text)));
    let own = of(Some(&owner), "tools/call", r#"{"name":"a","arguments":{"x":[1,{"y":2,"z":"t"}]}}"#);
    let same = [
        r#"{"arguments":{"x":[1,{"z":"t","y":2}]},"name":"a"}"#,
        r#" { "name" : "a" , "arguments" : {"x":[ 1, {"y":2,"z":"\u0074"}]} } "#,
        r#"{"name":"a","arguments":{"x":[1,{"y":2,"z":"t"}]},"_meta":{"a":1},"inputResponses":{},"requestState":"s"}"#,
    ];
    for text in same {
        assert_eq!(of(Some(&owner), "tools/call", text), own, "{text}");
    }
    let others = [
        r#"{"name":"b","arguments":{"x":[1,{"y":2,"z":"t"}]}}"#,
        r#"{"name":"a","arguments":{"x":[{"y":2,"z":"t"},1]}}"#,
        r#"{"name":"a","arguments":{"x":[1,{"y":2,"z":"t","_meta":1}]}}"#,
        r#"{"name":"a","arguments":{"x":[1,{"y":2}]},"z":"t"}"#,
        r#"{"name":"a"}"#,
        "{}",
    ];
    for text in others {
        assert_ne!(of(Some(&owner), "tools/call", text), own, "{text}");
    }
    let text = same[0];
    for other in [
        of(None, "tools/call", text),
        of(Some(&OwnerKey::of_test("bob")), "tools/call", text),
        of(Some(&owner), "prompts/get", text),
        Bond::new(Some(&owner), "tools/call", None),
    ] {
        assert_ne!(other, own);
    }
    let seal = seal(&SECRETS[..1]);
    let state = seal.close(&own, now(), b"x").unwrap();
    assert!(seal.open(&of(None, "tools/call", text), now(), &state).is_err());
}

#[test]
fn parameters_that_are_no_values_of_ours_are_told_apart_all_the_same() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    // A tool passes over what it does not know, whatever that is.
    for unknown in ["1e999", r#""\ud800""#, &deep] {
        let of = |path: &str| bond(&format!(r#"{{"name":"a","arguments":{{"path":"{path}","x":{unknown}}}}}"#));
        assert_eq!(of("mine"), of("mine"), "{unknown}");
        assert_ne!(of("mine"), of("yours"), "{unknown}");
        let back = format!(r#"{{"requestState":"s","arguments":{{"path":"mine","x":{unknown}}},"name":"a"}}"#);
        assert_eq!(bond(&back), of("mine"), "{unknown}");
    }
    for (one, other) in [
        ("18446744073709551617", "18446744073709551618"),
        ("-9223372036854775809", "-9223372036854775810"),
        ("[1e20]", "[100000000000000000001]"),
        (r#"{"a":{"b":1e999}}"#, r#"{"a":{"b":2e999}}"#),
    ] {
        let of = |value: &str| bond(&format!(r#"{{"arguments":{{"x":{value}}}}}"#));
        assert_ne!(of(one), of(other), "{one} {other}");
    }
    assert_ne!(bond(r#"{"\ud800":1,"name":"a"}"#), bond(r#"{"\ud800":1,"name":"b"}"#));
}

#[test]
fn a_state_expires() {
    let limits = Limits { state_age: Some(Duration::from_secs(60)), ..Limits::default() };
    let seal = Seal::new(&[], &limits).unwrap();
    let bond = bond("{}");
    let state = seal.close(&bond, now(), b"x").unwrap();
    for (later, opens) in [(0, true), (59, true), (60, false), (1_000_000, false)] {
        assert_eq!(seal.open(&bond, now() + Duration::from_secs(later), &state).is_ok(), opens, "{later}");
    }
    let seal = Seal::new(&[], &Limits { state_age: None, ..limits }).unwrap();
    let state = seal.close(&bond, now(), b"x").unwrap();
    assert!(seal.open(&bond, now() + Duration::from_secs(1_000_000_000), &state).is_ok());
}

#[test]
fn a_state_is_bounded() {
    let limits = Limits { max_state_bytes: Some(200), ..Limits::default() };
    let seal = Seal::new(&[], &limits).unwrap();
    let bond = bond("{}");
    assert!(seal.close(&bond, now(), &[0; 90]).is_ok());
    assert_eq!(seal.close(&bond, now(), &[0; 200]).unwrap_err().code.number(), -32603);
    assert_eq!(seal.open(&bond, now(), &"A".repeat(201)).unwrap_err().code.number(), -32602);
}

#[test]
fn a_key_is_long_and_never_shown() {
    let short = Secret::from(&SECRETS[0][1..]);
    let error = Seal::new(&[Secret::from(SECRETS[0]), short], &Limits::default()).unwrap_err().to_string();
    assert!(error.contains("stateKeys[1]") && error.contains("32 bytes"), "{error}");
    assert!(!error.contains("abcdef"));
    assert!(!format!("{:?}", seal(&SECRETS)).contains("key"));
}

proptest! {
    #[test]
    fn whatever_is_changed_the_refusal_is_the_same(
        content in proptest::collection::vec(any::<u8>(), 0..80), at in any::<prop::sample::Index>(), bit in 0..8u8,
        text in "\\PC{0,90}",
    ) {
        let (seal, bond) = (seal(&SECRETS), bond("{}"));
        let state = seal.close(&bond, now(), &content).unwrap();
        let refusal = seal.open(&bond, now(), "").unwrap_err();
        let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(&state).unwrap();
        let index = at.index(bytes.len());
        bytes[index] ^= 1 << bit;
        let tampered = [
            BASE64_URL_SAFE_NO_PAD.encode(&bytes),
            format!("{state}-TAMPERED"),
            format!("{state}="),
            format!(" {state}"),
            state[..state.len() - 1].to_owned(),
            state[..at.index(state.len())].to_owned(),
            text,
        ];
        for tampered in tampered {
            prop_assert_eq!(seal.open(&bond, now(), &tampered), Err(refusal.clone()));
        }
        prop_assert_eq!(seal.open(&bond, now(), &state), Ok(content));
    }
}
