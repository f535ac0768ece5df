//! The layers of a binary's options: what its code says, a file, the environment, flags; later wins.

mod file;
mod flags;
mod settings;
mod target;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt, fs,
    io::{self, Read as _},
    path::Path,
};

use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;

use super::{
    ServerOptions,
    auth::AUTHS,
    draft::{Draft, KINDS, Kind},
    reader::{self, Reader},
    validate,
};
use crate::server::error::Error;
use flags::Asks;
use settings::{CONFIG, FILE, Form, Place, SETTINGS};
use target::{Given, Target, Via, choice, word};

/// Where a binary's options come from, beside its code.
///
/// Flags win over variables, variables over the file that `--config` or `MCP_CONFIG` names, and that over
/// the code. An empty variable counts as unset, and one that is not known is ignored. A variable that the
/// chosen transport or authentication has no use for is ignored with a line in the log, since an
/// environment serves many programs; a flag like that is refused, since it was written for this one.
///
/// ```
/// use mcp_runtime::{ServerOptions, TransportOptions, config::{Layers, Outcome}};
///
/// let layers = Layers::new(["--transport", "sse"], [("MCP_PORT", "9000")], |_| {
///     Err(std::io::ErrorKind::NotFound.into())
/// });
/// let Outcome::Serve(options) = layers.apply(ServerOptions::new("weather", "1.0.0"))? else {
///     panic!("nobody asked for help")
/// };
/// assert!(matches!(options.transport, TransportOptions::Sse(sse) if sse.port == 9000));
/// # Ok::<(), mcp_runtime::Error>(())
/// ```
pub struct Layers {
    arguments: Vec<OsString>,
    variables: BTreeMap<OsString, OsString>,
    read_file: Box<ReadFile>,
}

/// The layer that an attribute is.
const ATTRIBUTE: &str = "the attribute `#[mcp_server]`";

/// How much is logged.
const LEVELS: [(&str, LevelFilter); 6] = [
    ("off", LevelFilter::OFF),
    ("error", LevelFilter::ERROR),
    ("warn", LevelFilter::WARN),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
];

type ReadFile = dyn Fn(&Path) -> io::Result<Vec<u8>> + Send + Sync;

/// What a binary should do after its layers were read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "there is one, at start")]
pub enum Outcome {
    /// Serve, with these options.
    Serve(ServerOptions),
    /// Show this text, on stderr since stdout belongs to the protocol, and end well.
    Show(String),
}

impl Layers {
    /// Layers from these sources: arguments without the executable's name, variables, and what reads a file.
    pub fn new<A, K, V>(
        arguments: impl IntoIterator<Item = A>,
        variables: impl IntoIterator<Item = (K, V)>,
        read_file: impl Fn(&Path) -> io::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Self
    where
        A: Into<OsString>,
        K: Into<OsString>,
        V: Into<OsString>,
    {
        let variables = variables.into_iter().map(|(k, v)| (k.into(), v.into()));
        let ours = |name: &OsString| name.as_encoded_bytes().starts_with(b"MCP_");
        Self {
            arguments: arguments.into_iter().map(Into::into).collect(),
            variables: variables.filter(|(name, _)| ours(name)).collect(),
            read_file: Box::new(read_file),
        }
    }

    /// Layers from this process: its arguments, its environment and the files of the machine.
    pub fn from_process() -> Self {
        Self::from_process_but(std::env::args_os().skip(1))
    }

    /// Layers from this process, but for its arguments, in whose place these stand: for a program with some of its own.
    pub fn from_process_but<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Self {
        let mut variables = BTreeMap::new();
        for name in settings::variables() {
            if let Some(value) = std::env::var_os(&*name) {
                variables.insert(name.into_owned().into(), value);
            }
        }
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { arguments, variables, read_file: Box::new(read_bounded) }
    }

    /// Lays all layers over the options that the code gives, and validates the result.
    ///
    /// Every mistake in every layer is reported at once, with the file, the variable or the flag that made it.
    pub fn apply(&self, mut options: ServerOptions) -> Result<Outcome, Error> {
        Ok(match self.lay_over(&mut options, None, &|_| ())? {
            Some(text) => Outcome::Show(text),
            None => Outcome::Serve(options),
        })
    }

    /// Like [`Layers::apply`], with options of an attribute that leaves the choice of the transport to a layer; `log` is told
    /// the level of the log, where a layer says it. Gives the text that is to be shown where the options are not asked for;
    /// with it, and where there are errors, they are void.
    pub(crate) fn lay_over(
        &self,
        options: &mut ServerOptions,
        attribute: Option<&Value>,
        log: &dyn Fn(LevelFilter),
    ) -> Result<Option<String>, Error> {
        if self.arguments.is_empty() && self.variables.is_empty() && attribute.is_none() {
            // How most programs over stdio are started.
            reader::collected(validate::problems(options))?;
            return Ok(None);
        }
        match self.laid(std::mem::take(options), attribute, log)? {
            Outcome::Serve(laid) => *options = laid,
            Outcome::Show(text) => return Ok(Some(text)),
        }
        Ok(None)
    }

    fn laid(
        &self,
        options: ServerOptions,
        attribute: Option<&Value>,
        log: &dyn Fn(LevelFilter),
    ) -> Result<Outcome, Error> {
        let flags = flags::parse(&self.arguments);
        match flags.asks {
            Some(Asks::Help) => {
                return Ok(Outcome::Show(settings::help(&options.name, &options.version)));
            }
            Some(Asks::Version) => {
                let text = format!("{} {}\n", options.name, options.version);
                return Ok(Outcome::Show(text));
            }
            None => {}
        }
        let mut errors = flags.errors;
        let variables = self.given_variables(&mut errors);
        choice(Place::Log, &LEVELS, &flags.given, &variables, &mut errors).into_iter().for_each(log);
        let known_errors = errors.len();
        let kind = choice(Place::Transport, &KINDS, &flags.given, &variables, &mut errors);
        let mut draft = Draft::from(options);
        let mut sources = BTreeMap::new();

        if let Some(attribute) = attribute {
            // They are a listener's, whatever is chosen in the end.
            let chosen = std::mem::replace(&mut draft.kind, Kind::Sse);
            let mut reader = Reader::new(ATTRIBUTE);
            draft.read(attribute, &mut reader);
            errors.append(&mut reader.errors);
            sources.append(&mut reader.sources);
            draft.kind = chosen;
            draft.offer();
        }
        if draft.kind == Kind::Stdio {
            // A file may leave the choice to a later layer, and still hold the options of a listener.
            draft.kind = kind.unwrap_or(draft.kind);
        }
        match self.config_file(flags.config) {
            Ok(Some(file)) => {
                let mut reader = Reader::new(&file.source_name);
                reader.lacks_null = file.lacks_null;
                draft.read(&file.layer, &mut reader);
                errors.append(&mut reader.errors);
                sources.append(&mut reader.sources);
            }
            Ok(None) => {}
            Err(error) => errors.push(error),
        }

        // From here on every layer is read for the transport that will serve.
        draft.kind = kind.unwrap_or(draft.kind);
        let mut auth = None;
        if draft.kind != Kind::Stdio || errors.len() > known_errors {
            auth = choice(Place::Auth, &AUTHS, &flags.given, &variables, &mut errors);
        }
        let target = Target { kind: draft.kind, auth: auth.or(draft.auth.kind), unknown: errors.len() > known_errors };
        for (via, given) in [(Via::Environment, variables), (Via::Flags, flags.given)] {
            let given = target.fitting(given, via, &mut errors);
            let layer = self.layer(&given, target, &mut errors);
            if !target.unknown {
                let mut reader = Reader::new("");
                draft.read(&layer, &mut reader);
                errors.append(&mut reader.errors);
            }
            sources.extend(given.into_iter().map(|it| (it.setting.path(), it.name)));
        }
        reader::collected(errors)?;
        let options = draft.settle();
        let mut problems = validate::problems(&options);
        problems.iter_mut().for_each(|it| name_source(it, &sources));
        reader::collected(problems)?;
        Ok(Outcome::Serve(options))
    }

    /// The variables that are set, in the order of the table.
    fn given_variables(&self, errors: &mut Vec<Error>) -> Vec<Given> {
        let mut all = Vec::new();
        if self.variables.is_empty() {
            return all;
        }
        for setting in &SETTINGS {
            let file = setting.variable.to_owned() + FILE;
            let names = [(setting.variable.to_owned(), false), (file, true)];
            for (name, is_file) in names {
                if is_file && !setting.may_be_file() {
                    continue;
                }
                match self.variable(&name) {
                    Ok(Some(text)) => all.push(Given { name, setting, text, is_file }),
                    Ok(None) => {}
                    Err(error) => errors.push(error),
                }
            }
        }
        all
    }

    fn variable(&self, name: &str) -> Result<Option<String>, Error> {
        let Some(value) = self.variables.get(&OsString::from(name)) else {
            return Ok(None);
        };
        match value.to_str() {
            Some(text) if text.trim().is_empty() => Ok(None),
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(invalid(name, "is not UTF-8".into())),
        }
    }

    fn config_file(&self, flag: Option<String>) -> Result<Option<file::ConfigFile>, Error> {
        let (path, named_by) = match (flag, self.variable(CONFIG)?) {
            (Some(path), _) => (path, settings::flag_of(CONFIG)),
            (None, Some(path)) => (path, CONFIG.to_owned()),
            (None, None) => return Ok(None),
        };
        let text = self.read(&path, &named_by)?;
        file::parse(&path, &text, &named_by).map(Some)
    }

    /// The options object that variables or flags stand for.
    fn layer(&self, given: &[Given], target: Target, errors: &mut Vec<Error>) -> Value {
        let mut layer = json!({});
        for (index, it) in given.iter().enumerate() {
            let earlier = &given[..index];
            if let Some(first) = earlier.iter().find(|other| other.is_same_setting(it)) {
                errors.push(Error::TwoSources { first: first.name.clone(), second: it.name.clone() });
                continue;
            }
            let value = match it.setting.place {
                // They are decided already, over all layers.
                Place::Transport | Place::Auth | Place::Log => continue,
                _ => self.value(it),
            };
            match value {
                Ok(value) => put(&mut layer, &it.setting.path(), value),
                Err(error) => errors.push(error),
            }
        }
        if let Some(auth) = target.auth.filter(|_| target.kind != Kind::Stdio) {
            let auth = json!(word(&AUTHS, auth));
            put(&mut layer, "transport.options.auth.type", auth);
        }
        layer
    }

    fn value(&self, given: &Given) -> Result<Value, Error> {
        let text = if given.is_file {
            self.secret(given)?
        } else if given.setting.is_secret() {
            given.text.clone()
        } else {
            given.text.trim().to_owned()
        };
        let list = |separators: fn(char) -> bool| -> Value {
            let items = text.split(separators).map(str::trim);
            items.filter(|item| !item.is_empty()).collect()
        };
        let wrong = |expected: &str| {
            let got = reader::shortened(&text);
            invalid(&given.name, format!("expected {expected}, got {got}"))
        };
        Ok(match given.setting.form {
            Form::Text => json!(text),
            Form::Port => match text.parse::<u16>() {
                Ok(port) => json!(port),
                Err(_) => return Err(wrong("a port, 0 to 65535")),
            },
            Form::Switch => match text.parse::<bool>() {
                Ok(on) => json!(on),
                Err(_) => return Err(wrong("`true` or `false`")),
            },
            // A file may also have an item on each line.
            Form::List => list(|c| matches!(c, ',' | '\n')),
            Form::Words => list(|c| c == ',' || c.is_whitespace()),
        })
    }

    fn secret(&self, given: &Given) -> Result<String, Error> {
        let text = self.read(&given.text, &given.name)?;
        // Editors end a file with a line break, which belongs to no secret.
        let text = text.trim_end_matches(['\r', '\n']);
        if text.trim().is_empty() {
            return Err(unreadable(&given.text, &given.name, "is empty"));
        }
        Ok(text.to_owned())
    }

    fn read(&self, path: &str, named_by: &str) -> Result<String, Error> {
        let bytes =
            (self.read_file)(Path::new(path)).map_err(|error| unreadable(path, named_by, &error.to_string()))?;
        let text = String::from_utf8(bytes);
        let text = text.map_err(|_| unreadable(path, named_by, "is not UTF-8"))?;
        Ok(match text.strip_prefix('\u{feff}') {
            Some(text) => text.to_owned(),
            None => text,
        })
    }
}

impl fmt::Debug for Layers {
    // Without the variables, which hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layers").finish_non_exhaustive()
    }
}

/// Puts a value at a path of an object, with the objects on the way.
fn put(layer: &mut Value, path: &str, value: Value) {
    let mut slot = layer;
    for name in path.split('.') {
        slot = &mut slot[name];
    }
    *slot = value;
}

/// Adds to a complaint about a value which layer the value came from.
fn name_source(error: &mut Error, sources: &BTreeMap<String, String>) {
    if let Error::InvalidOption { path, source_name, .. } = error {
        let option = path.split('[').next().unwrap_or(path);
        if let Some(source) = sources.get(option) {
            source_name.clone_from(source);
        }
    }
}

/// A file of options or a secret is small; an endless one, such as a device, must not fill the memory.
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    const MOST: u64 = 1024 * 1024;
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::other("is larger than 1 MiB"));
    }
    Ok(bytes)
}

fn invalid(path: &str, reason: String) -> Error {
    Error::InvalidOption { path: path.into(), reason, source_name: String::new() }
}

fn unreadable(path: &str, named_by: &str, reason: &str) -> Error {
    Error::UnreadableFile { path: path.into(), named_by: named_by.into(), reason: reason.into() }
}
