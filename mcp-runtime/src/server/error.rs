//! What an operator is told when a server does not start, or stops serving.

use std::{fmt, net::SocketAddr};

/// Why a server did not start, or stopped serving: one variant a cause, each message naming what to change.
///
/// `Debug` prints the message too, so that `fn main() -> Result<(), Error>` ends with one clear line.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A member of the options object, an environment variable or a flag that does not exist.
    #[error("unknown option `{path}`{}{}", Source(.source_name), Nearest(.nearest))]
    UnknownOption {
        /// Where it stands, e.g. `transport.options.prot`, `--prot`.
        path: String,
        /// The right name that is nearest, if one is near.
        nearest: Option<String>,
        /// The layer it came from, e.g. `the file mcp.json`; empty for options given in code.
        source_name: String,
    },
    /// An option whose value is of the wrong type or outside of what is allowed.
    #[error("option `{path}`{}: {reason}", Source(.source_name))]
    InvalidOption {
        /// Where it stands, e.g. `transport.options.port`.
        path: String,
        /// What was expected and what came.
        reason: String,
        /// The layer it came from; empty for options given in code.
        source_name: String,
    },
    /// Several things are wrong with the options; all are listed.
    #[error("{}", Lines(.0))]
    Several(Vec<Error>),
    /// A configuration file, or a secret's file, that cannot be read or is not what its ending says.
    #[error("cannot read {path} (named by {named_by}): {reason}")]
    UnreadableFile {
        /// The file.
        path: String,
        /// The option that names it, e.g. `MCP_CONFIG`.
        named_by: String,
        /// Why not.
        reason: String,
    },
    /// Two endpoints of one path.
    #[error("options `{first}` and `{second}` are both `{path}`; each endpoint needs a path of its own")]
    EqualPaths {
        /// The first option.
        first: String,
        /// The second option.
        second: String,
        /// The path that both have.
        path: String,
    },
    /// `*` among the allowed origins of a server that authenticates.
    #[error(
        "option `transport.options.cors.allowOrigins`: `*` cannot stand together with `auth`; list the origins that may call"
    )]
    OpenCorsWithAuth,
    /// A layer that would leave a server unguarded whose code asks for authentication.
    #[error("option `transport.options.auth`{}: authentication that is on cannot be switched off from outside; \
             remove the null, or choose another `type` or the transport `stdio`", Source(.source_name))]
    AuthSwitchedOff {
        /// The layer that tried.
        source_name: String,
    },
    /// Variables or flags of authentication on a listener that does not authenticate.
    #[error("`{given}` is set, but no authentication is chosen; add `{chooser}={auth}`, or remove `{given}`")]
    AuthNotChosen {
        /// The variable or flag that was given.
        given: String,
        /// The variable or flag that chooses.
        chooser: &'static str,
        /// The type of authentication that it belongs to.
        auth: &'static str,
    },
    /// A flag that stands on the command line twice.
    #[error("flag `{flag}` is given more than once; keep one")]
    RepeatedFlag {
        /// The flag.
        flag: String,
    },
    /// Something on the command line that is no flag.
    #[error("unexpected argument `{argument}`; every setting is a flag, see `--help`")]
    UnexpectedArgument {
        /// What was given.
        argument: String,
    },
    /// A value and a file that holds the value, both for one option.
    #[error("`{first}` and `{second}` are both set; keep one")]
    TwoSources {
        /// The variable or flag that holds the value.
        first: String,
        /// The variable or flag that names a file.
        second: String,
    },
    /// A transport that needs a cargo feature which is switched off.
    #[error("option `{option}` needs the cargo feature `{feature}` of mcp-runtime")]
    MissingFeature {
        /// The option.
        option: String,
        /// The feature.
        feature: &'static str,
    },
    /// The listener's address is taken.
    #[error("option `transport.options.port`: {address} is in use; choose another port, or 0 for any free one")]
    PortInUse {
        /// The address that was asked for.
        address: SocketAddr,
    },
    /// The listener could not be opened for another reason.
    #[error("cannot listen on {address} (options `host` and `port`): {source}")]
    Listen {
        /// The address that was asked for.
        address: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Two tools, resources or prompts of one name.
    #[error(
        "two {kind}s are named `{name}`{}; rename one (`name = \"…\"`), or mount its server under a prefix with `mount_at`",
        Parts(.parts)
    )]
    Duplicate {
        /// `tool`, `resource`, `resource template` or `prompt`.
        kind: &'static str,
        /// The name, or the URI.
        name: String,
        /// The annotated block, module or function of each; none for a tool that was made while the program runs.
        parts: [Option<&'static str>; 2],
    },
    /// Two resources, or two templates, of the same URIs.
    #[error("two {kind}s have the URI `{uri}`{}; give one another URI", Parts(.parts))]
    DuplicateUri {
        /// `resource` or `resource template`.
        kind: &'static str,
        /// The URI.
        uri: String,
        /// The annotated block, module or function of each.
        parts: [Option<&'static str>; 2],
    },
    /// A name outside of what clients accept.
    #[error("{kind} name `{name}` must match ^[A-Za-z0-9_-]{{1,64}}$")]
    InvalidName {
        /// `tool` or `prompt`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A server that is mounted under no prefix.
    #[error("`mount_at` was given an empty prefix; mount with `.mount(…)` to keep the names as they are")]
    EmptyPrefix,
    /// A schema or another part of a registration that cannot be served.
    #[error("{kind} `{name}`: {reason}")]
    InvalidItem {
        /// `tool`, `resource` or `prompt`.
        kind: &'static str,
        /// Its name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// A function takes `State<T>` and nobody provided a `T`.
    #[error(
        "{kind} `{name}` takes `State<{type_name}>`, but no such state was provided; call `.state(value)` on the server"
    )]
    MissingState {
        /// `tool`, `resource` or `prompt`.
        kind: &'static str,
        /// Its name.
        name: String,
        /// The type that is missing.
        type_name: &'static str,
    },
    /// What can only be done to a server that runs was asked of one that does not.
    #[error("the server does not serve yet, or no more; add to it by `McpServer` before it does")]
    NotServing,
    /// A tool that is to be removed is not there.
    #[error("there is no tool `{name}`")]
    NoSuchTool {
        /// The name that no tool has.
        name: String,
    },
    /// A test's client and the server did not come to terms.
    #[error("the handshake failed: {0}")]
    Handshake(String),
    /// Reading or writing failed while serving.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: &'static str,
        /// What the operating system said.
        source: std::io::Error,
    },
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

struct Source<'a>(&'a str);

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " in {}", self.0) }
    }
}

struct Nearest<'a>(&'a Option<String>);

impl fmt::Display for Nearest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

struct Parts<'a>(&'a [Option<&'static str>; 2]);

impl fmt::Display for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [None, None] => Ok(()),
            [Some(first), Some(second)] if first == second => write!(f, ", both from {first}"),
            [Some(first), Some(second)] => write!(f, ": one from {first}, one from {second}"),
            [Some(part), None] | [None, Some(part)] => write!(f, ": one from {part}, one made while the program runs"),
        }
    }
}

struct Lines<'a>(&'a [Error]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            fmt::Display::fmt(error, f)?;
        }
        Ok(())
    }
}
