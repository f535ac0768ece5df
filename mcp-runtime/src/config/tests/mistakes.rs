//! Objects that are no options, and what is said of each mistake.

use serde_json::{Value, json};

use super::check;

#[test]
fn mistakes_of_authentication() {
    let check = |method: &str, options: Value, message: &str| {
        let auth = json!({"type": method, "options": options});
        let message = message.replace("AUTH", "transport.options.auth.options");
        check(json!({"transport": {"type": "sse", "options": {"auth": auth}}}), Err(&message));
    };
    check(
        "jwt",
        json!({"algorithms": "HS256"}),
        "option `AUTH.algorithms`: expected a list of algorithms, got a string",
    );
    check(
        "jwt",
        json!({"algorithms": ["RS256", "none"]}),
        "option `AUTH.algorithms[1]`: expected `HS256`, `HS384`, `HS512`, `RS256`, `RS384`, `RS512`, `PS256`, \
         `PS384`, `PS512`, `ES256`, `ES384`, `ES512` or `EdDSA`, got a string",
    );
    check("jwt", json!({"secret": 1}), "option `AUTH.secret`: expected a string or null, got a number");
    check("jwt", json!({"leewaySeconds": 1.5}), {
        "option `AUTH.leewaySeconds`: expected a whole number of seconds, got a number"
    });
    check("jwt", json!({"jwksUrl": "u"}), "unknown option `AUTH.jwksUrl`; did you mean `jwksUri`?");
    check("jwt", json!({"clientSecret": "s"}), "unknown option `AUTH.clientSecret`");
    check("apikey", json!({"keys": "hunter2"}), "option `AUTH.keys`: expected a list of keys, got a string");
    check("apikey", json!({"keys": [1]}), {
        "option `AUTH.keys[0]`: expected a string, or an object with `key` or `sha256`, got a number"
    });
    check("apikey", json!({"keys": [{}]}), "option `AUTH.keys[0]`: needs either `key` or `sha256`");
    check("apikey", json!({"keys": [{"key": "hunter2", "sha256": "0".repeat(64)}]}), {
        "option `AUTH.keys[0]`: needs either `key` or `sha256`"
    });
    check("apikey", json!({"keys": [{"sha256": "hunter2"}]}), {
        "option `AUTH.keys[0].sha256`: must be a SHA-256 digest, 64 hexadecimal digits"
    });
    check("apikey", json!({"keys": [{"key": "hunter2", "expiresAt": "soon"}]}), {
        "option `AUTH.keys[0].expiresAt`: expected a time such as `2027-01-31T12:00:00Z`, got a string"
    });
    check("apikey", json!({"keys": [{"key": "hunter2", "scope": []}]}), {
        "unknown option `AUTH.keys[0].scope`; did you mean `scopes`?"
    });
    check("oauth", json!({"scopes": "a b"}), "option `AUTH.scopes`: expected a list of strings, got a string");
    check("oauth", json!({"clientSecret": null}), "option `AUTH.clientSecret`: expected a string, got null");
}

#[test]
fn mistakes_with_their_paths() {
    let sse = |options: Value| json!({"transport": {"type": "sse", "options": options}});
    let http = |options: Value| json!({"transport": {"type": "http-stream", "options": options}});
    let limits = |limits: Value| sse(json!({"limits": limits}));
    let table = [
        // unknown keys, level by level
        (json!({"nam": "x"}), "unknown option `nam`; did you mean `name`?"),
        (json!({"zzz": "x"}), "unknown option `zzz`"),
        (json!({"": "x"}), "unknown option ``"),
        (json!({"port": 1}), "unknown option `port`; did you mean `transport.options.port`?"),
        (json!({"transport": {"typ": "sse"}}), "unknown option `transport.typ`; did you mean `type`?"),
        (
            json!({"transport": {"type": "sse", "endpoint": "/x"}}),
            "unknown option `transport.endpoint`; did you mean `transport.options.endpoint`?",
        ),
        (
            sse(json!({"message_endpoint": "/m"})),
            "unknown option `transport.options.message_endpoint`; did you mean `messageEndpoint`?",
        ),
        (sse(json!({"prot": 1})), "unknown option `transport.options.prot`; did you mean `port`?"),
        (sse(json!({"PORT": 1})), "unknown option `transport.options.PORT`; did you mean `port`?"),
        (
            sse(json!({"maxBodyBytes": 1})),
            "unknown option `transport.options.maxBodyBytes`; did you mean \
             `transport.options.limits`?",
        ),
        (http(json!({"endpont": "/m"})), "unknown option `transport.options.endpont`; did you mean `endpoint`?"),
        (
            sse(json!({"cors": {"allowedOrigins": []}})),
            "unknown option `transport.options.cors.allowedOrigins`; did you mean `allowOrigins`?",
        ),
        (
            sse(json!({"auth": {"type": "jwt", "option": {}}})),
            "unknown option `transport.options.auth.option`; did you mean `options`?",
        ),
        (
            limits(json!({"maxBodyByte": 1})),
            "unknown option `transport.options.limits.maxBodyByte`; did you mean `maxBodyBytes`?",
        ),
        // options of the other transport
        (
            http(json!({"messageEndpoint": "/m"})),
            "option `transport.options.messageEndpoint`: only the transport `sse` has this option; \
             `http-stream` has one `endpoint`",
        ),
        (
            http(json!({"mcpEndpoint": null})),
            "option `transport.options.mcpEndpoint`: only the transport `sse` has this option; \
             `http-stream` has one `endpoint`",
        ),
        (
            json!({"transport": {"type": "stdio", "options": {"port": 1}}}),
            "option `transport.options.port`: the transport `stdio` has no options; remove it, or \
             choose the type `sse` or `http-stream`",
        ),
        (
            json!({"transport": {"options": {"auth": {"type": "jwt"}}}}),
            "option `transport.options.auth`: the transport `stdio` has no options; remove it, or \
             choose the type `sse` or `http-stream`",
        ),
        // wrong types
        (json!([]), "option `(all)`: expected an object, got a list"),
        (json!({"name": null}), "option `name`: expected a string, got null"),
        (json!({"version": 1.5}), "option `version`: expected a string, got the number 1.5"),
        (json!({"instructions": []}), "option `instructions`: expected a string or null, got a list"),
        (json!({"transport": "sse"}), "option `transport`: expected an object, {\"type\": \"sse\"}"),
        (json!({"transport": "http"}), "option `transport`: expected an object, got the string `http`"),
        (
            json!({"transport": {"type": "http"}}),
            "option `transport.type`: expected `stdio`, `sse` or `http-stream`, got the string \
             `http`",
        ),
        (
            json!({"transport": {"type": "httpstream", "options": {"port": 1}}}),
            "option `transport.type`: expected `stdio`, `sse` or `http-stream` (did you mean \
             `http-stream`?), got the string `httpstream`",
        ),
        (
            json!({"transport": {"type": "sse", "options": 1}}),
            "option `transport.options`: expected an object, got the number 1",
        ),
        (
            sse(json!({"port": "8080"})),
            "option `transport.options.port`: expected a port, 0 to 65535, got the string `8080`",
        ),
        (
            sse(json!({"port": 65536})),
            "option `transport.options.port`: expected a port, 0 to 65535, got the number 65536",
        ),
        (sse(json!({"host": 1})), "option `transport.options.host`: expected a string, got the number 1"),
        (sse(json!({"endpoint": null})), "option `transport.options.endpoint`: expected a string, got null"),
        (
            sse(json!({"messageEndpoint": null})),
            "option `transport.options.messageEndpoint`: expected a string, got null",
        ),
        (
            sse(json!({"mcpEndpoint": false})),
            "option `transport.options.mcpEndpoint`: expected a string or null, got false",
        ),
        (
            sse(json!({"sessions": "true"})),
            "option `transport.options.sessions`: expected true or false, got the string `true`",
        ),
        (
            sse(json!({"resumability": {}})),
            "option `transport.options.resumability`: expected true or false, got an object",
        ),
        (
            sse(json!({"publicUrl": 1})),
            "option `transport.options.publicUrl`: expected a string or null, got the number 1",
        ),
        (
            sse(json!({"healthEndpoint": true})),
            "option `transport.options.healthEndpoint`: expected a string or null, got true",
        ),
        (
            sse(json!({"allowedHosts": "h"})),
            "option `transport.options.allowedHosts`: expected a list of strings, got the string \
             `h`",
        ),
        (
            sse(json!({"cors": {"allowOrigins": ["https://a", 1]}})),
            "option `transport.options.cors.allowOrigins[1]`: expected a string, got the number 1",
        ),
        (sse(json!({"cors": true})), "option `transport.options.cors`: expected an object, got true"),
        // authentication, without its values
        (sse(json!({"auth": "hunter2"})), "option `transport.options.auth`: expected an object, got a string"),
        (
            sse(json!({"auth": {"options": {}}})),
            "option `transport.options.auth.type`: is missing; expected `jwt`, `apikey` or `oauth`",
        ),
        (
            sse(json!({"auth": {"type": "hunter2"}})),
            "option `transport.options.auth.type`: expected `jwt`, `apikey` or `oauth`, got a \
             string",
        ),
        (
            sse(json!({"auth": {"type": "jwt", "options": "hunter2"}})),
            "option `transport.options.auth.options`: expected an object, got a string",
        ),
        // limits
        (limits(json!([])), "option `transport.options.limits`: expected an object, got a list"),
        (
            limits(json!({"maxSessions": 1.5})),
            "option `transport.options.limits.maxSessions`: expected a whole number, or null to \
             switch the limit off, got the number 1.5",
        ),
        (
            limits(json!({"callTimeoutSeconds": -1})),
            "option `transport.options.limits.callTimeoutSeconds`: expected a number of seconds \
             (up to 1000000000), or null to switch the limit off, got the number -1",
        ),
        (
            limits(json!({"callTimeoutSeconds": 1e10})),
            "option `transport.options.limits.callTimeoutSeconds`: expected a number of seconds \
             (up to 1000000000), or null to switch the limit off, got the number 10000000000.0",
        ),
        (
            limits(json!({"keepAliveSeconds": 0})),
            "option `transport.options.limits.keepAliveSeconds`: 0 leaves nothing that can be \
             served; write null to switch the limit off",
        ),
        (
            limits(json!({"maxSessions": 0})),
            "option `transport.options.limits.maxSessions`: 0 leaves nothing that can be served; \
             write null to switch the limit off",
        ),
        (
            limits(json!({"maxJsonDepth": 129})),
            "option `transport.options.limits.maxJsonDepth`: 129 is too deep; 128 is the most that \
             the parser bears",
        ),
    ];
    for (layer, message) in table {
        check(layer, Err(message));
    }
}

#[test]
fn all_mistakes_at_once() {
    let layer = json!({"nam": 1, "version": 2, "transport": {
        "type": "ssse", "oops": 0, "options": {"port": -1, "prot": 1, "auth": {"kind": 1}}}});
    let messages = "option `version`: expected a string, got the number 2\n\
        option `transport.type`: expected `stdio`, `sse` or `http-stream` (did you mean `sse`?), \
        got the string `ssse`\n\
        option `transport.options.port`: expected a port, 0 to 65535, got the number -1\n\
        option `transport.options.auth.type`: is missing; expected `jwt`, `apikey` or `oauth`\n\
        unknown option `transport.options.auth.kind`\n\
        unknown option `transport.options.prot`; did you mean `port`?\n\
        unknown option `transport.oops`\n\
        unknown option `nam`; did you mean `name`?";
    check(layer, Err(messages));
}
