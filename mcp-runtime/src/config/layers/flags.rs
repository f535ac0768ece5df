//! Reads the command line.

use std::ffi::OsString;

use lexopt::{Arg, Parser, ValueExt as _};

use super::{
    Given, invalid,
    settings::{CONFIG, SETTINGS, Setting, flag_of, flags},
};
use crate::server::{error::Error, nearest::nearest};

/// What the command line says.
#[derive(Default)]
pub(super) struct Flags {
    pub(super) config: Option<String>,
    pub(super) given: Vec<Given>,
    pub(super) asks: Option<Asks>,
    pub(super) errors: Vec<Error>,
}

/// A question that is answered instead of serving.
#[derive(Clone, Copy)]
pub(super) enum Asks {
    Help,
    Version,
}

/// Reads arguments, the executable's name not among them.
pub(super) fn parse(arguments: &[OsString]) -> Flags {
    let mut flags = Flags::default();
    let mut parser = Parser::from_args(arguments.iter());
    loop {
        let flag = match parser.next() {
            // What can be wrong here is a value behind `--help` or `--version`, which are answered all the same.
            Ok(None) | Err(_) => return flags,
            Ok(Some(Arg::Long("help") | Arg::Short('h'))) => {
                flags.asks = Some(Asks::Help);
                continue;
            }
            Ok(Some(Arg::Long("version") | Arg::Short('V'))) => {
                flags.asks = flags.asks.or(Some(Asks::Version));
                continue;
            }
            Ok(Some(Arg::Long(name))) => format!("--{name}"),
            Ok(Some(Arg::Short(letter))) => format!("-{letter}"),
            Ok(Some(Arg::Value(argument))) => {
                let argument = argument.to_string_lossy().into_owned();
                flags.errors.push(Error::UnexpectedArgument { argument });
                continue;
            }
        };
        let value = value(&mut parser);
        if let Err(error) = flags.take(flag, value) {
            flags.errors.push(error);
        }
    }
}

/// The value behind a flag. What looks like the next flag is none.
fn value(parser: &mut Parser) -> Option<OsString> {
    if let Some(value) = parser.optional_value() {
        return Some(value);
    }
    let mut rest = parser.try_raw_args()?;
    rest.next_if(|next| !is_flag(&next.to_string_lossy()))
}

/// Whether an argument is a flag; a PEM key also begins with dashes.
fn is_flag(argument: &str) -> bool {
    let name = argument.strip_prefix("--");
    name.is_some_and(|name| !name.starts_with('-'))
}

impl Flags {
    fn take(&mut self, flag: String, value: Option<OsString>) -> Result<(), Error> {
        let known = if flag == flag_of(CONFIG) { None } else { Some(find(&flag)?) };
        let invalid = |reason: &str| invalid(&flag, reason.into());
        let value = value.filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| invalid("needs a value"))?;
        let text = value.string().map_err(|_| invalid("is not UTF-8"))?;
        let repeated = match known {
            None => self.config.replace(text).is_some(),
            Some((setting, is_file)) => {
                let repeated = self.given.iter().any(|given| given.name == flag);
                let name = flag.clone();
                self.given.push(Given { name, setting, text, is_file });
                repeated
            }
        };
        if repeated {
            return Err(Error::RepeatedFlag { flag });
        }
        Ok(())
    }
}

/// The setting of a flag, and whether the flag names a file that holds the value.
fn find(flag: &str) -> Result<(&'static Setting, bool), Error> {
    for setting in &SETTINGS {
        let own = flag_of(setting.variable);
        if flag == own && setting.is_secret() {
            let variable = setting.variable;
            let reason = format!(
                "every user of this machine can read a secret on a command line; set `{variable}` or \
                 `{variable}_FILE`"
            );
            return Err(invalid(&own, reason));
        }
        if flag == own {
            return Ok((setting, false));
        }
        if setting.may_be_file() && flag.strip_suffix("-file") == Some(&own) {
            return Ok((setting, true));
        }
    }
    let mut known = flags();
    known.extend(["--help".into(), "--version".into()]);
    Err(Error::UnknownOption {
        path: flag.into(),
        nearest: nearest(flag, known.iter().map(String::as_str)).map(str::to_owned),
        source_name: String::new(),
    })
}
