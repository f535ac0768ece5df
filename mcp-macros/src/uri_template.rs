//! The templates of resources: RFC 6570 as far as it can be matched, parsed here so that the runtime never does.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use super::paths::Runtime;

/// A URI, or a family of URIs.
#[derive(Debug, PartialEq)]
pub(crate) struct Template(Vec<Segment>);

#[derive(Debug, PartialEq)]
enum Segment {
    Literal(String),
    Variable(String),
    Reserved(String),
}

impl Template {
    /// Reads a template; else the first thing that is wrong with it, with the remedy.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut segments = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let segment = match rest.strip_prefix('{') {
                Some(inside) => {
                    let end = inside.find('}').ok_or("a `{` without its `}`; close the variable, or write %7B")?;
                    rest = &inside[end + 1..];
                    variable(&inside[..end])?
                }
                None => {
                    let end = rest.find('{').unwrap_or(rest.len());
                    let literal = &rest[..end];
                    rest = &rest[end..];
                    check_literal(literal)?;
                    Segment::Literal(literal.to_owned())
                }
            };
            if let (Some(before), Some(name)) = (segments.last().and_then(Segment::name), segment.name()) {
                return Err(format!(
                    "nothing stands between `{{{before}}}` and `{{{name}}}`, so none can tell where one ends; put text between them, such as `/`"
                ));
            }
            if let Some(name) = segment.name()
                && segments.iter().any(|earlier| earlier.name() == Some(name))
            {
                return Err(format!("variable `{{{name}}}` stands there twice; give each place a name of its own"));
            }
            segments.push(segment);
        }
        check_scheme(text)?;
        Ok(Self(segments))
    }

    /// The names of the variables, in order.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(Segment::name)
    }

    /// The constant table of the segments.
    pub(crate) fn expand(&self, runtime: &Runtime, span: Span) -> TokenStream {
        let runtime = runtime.at(span);
        let segments = self.0.iter().map(|segment| match segment {
            Segment::Literal(text) => quote_spanned!(span=> #runtime::Segment::Literal(#text)),
            Segment::Variable(name) => quote_spanned!(span=> #runtime::Segment::Variable(#name)),
            Segment::Reserved(name) => quote_spanned!(span=> #runtime::Segment::Reserved(#name)),
        });
        quote_spanned!(span=> const { &[#(#segments),*] })
    }
}

impl Segment {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Literal(_) => None,
            Self::Variable(name) | Self::Reserved(name) => Some(name),
        }
    }
}

/// What stands between the braces.
fn variable(inside: &str) -> Result<Segment, String> {
    let operator = match inside.chars().next() {
        None => {
            return Err("a variable without a name: `{}`; name it, or remove the braces".to_owned());
        }
        Some('+') => return name(&inside[1..]).map(Segment::Reserved),
        Some('#') => "fragment expansion",
        Some('.') => "label expansion",
        Some('/') => "path segment expansion",
        Some(';') => "path-style parameter expansion",
        Some('?') => "form-style query expansion",
        Some('&') => "form-style query continuation",
        Some('=' | ',' | '!' | '@' | '|') => "a reserved operator",
        Some(_) => return name(inside).map(Segment::Variable),
    };
    Err(format!("`{{{inside}}}` is {operator} of RFC 6570, which cannot be matched; use `{{name}}` or `{{+name}}`"))
}

fn name(name: &str) -> Result<String, String> {
    if let Some((name, _)) = name.split_once(':') {
        return Err(format!(
            "`:` cuts a variable short (RFC 6570, level 4), which cannot be matched; write `{{{name}}}`"
        ));
    }
    if let Some(name) = name.strip_suffix('*') {
        return Err(format!("`*` explodes a list (RFC 6570, level 4), which cannot be matched; write `{{{name}}}`"));
    }
    if name.contains(',') {
        let each: Vec<_> = name.split(',').map(|name| format!("{{{}}}", name.trim())).collect();
        return Err(format!("several variables in one pair of braces; write `{}`", each.join("/")));
    }
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    match name.chars().find(|c| !fits(*c)) {
        _ if name.is_empty() => Err("a variable without a name; name it, or remove the braces".to_owned()),
        Some(wrong) => {
            Err(format!("`{wrong}` in the variable `{{{name}}}`; names are of letters, digits, `_` and `.`"))
        }
        None => Ok(name.to_owned()),
    }
}

fn check_literal(text: &str) -> Result<(), String> {
    let wrong = |c: char| c.is_whitespace() || c.is_control() || "\"'<>\\^`|}".contains(c);
    match text.char_indices().find(|(_, c)| wrong(*c)) {
        Some((_, '}')) => {
            return Err("a `}` without its `{`; open the variable, or write %7D".to_owned());
        }
        Some((_, c)) => {
            return Err(format!("{c:?} cannot stand in a URI; write it as {}", percent(c)));
        }
        None => {}
    }
    for (index, _) in text.match_indices('%') {
        let digits = text.get(index + 1..index + 3).unwrap_or_default();
        if digits.len() != 2 || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
            return Err("a `%` without two hexadecimal digits behind it; write %25 for the sign itself".to_owned());
        }
    }
    Ok(())
}

fn percent(c: char) -> String {
    let mut bytes = [0; 4];
    c.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn check_scheme(text: &str) -> Result<(), String> {
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    let fits = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if fits { Ok(()) } else { Err("a URI begins with its scheme; put one before it, such as `data://`".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::{Segment::*, *};

    #[test]
    fn templates_are_split_into_segments() {
        let check = |text: &str, expected: Vec<Segment>| assert_eq!(Template::parse(text), Ok(Template(expected)));
        check("calc://pi", vec![Literal("calc://pi".into())]);
        check(
            "weather://{city}/current",
            vec![Literal("weather://".into()), Variable("city".into()), Literal("/current".into())],
        );
        check("file:///{+path}", vec![Literal("file:///".into()), Reserved("path".into())]);
        check(
            "a:{b.c}%20{d}",
            vec![Literal("a:".into()), Variable("b.c".into()), Literal("%20".into()), Variable("d".into())],
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let check = |text: &str, part: &str| {
            let message = Template::parse(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        };
        check("a://{b", "without its `}`");
        check("a://b}", "without its `{`");
        check("a://{}", "without a name");
        check("a://{+}", "without a name");
        check("a://{?q}", "form-style query expansion");
        check("a://{/q}", "path segment expansion");
        check("a://{b:3}", "write `{b}`");
        check("a://{b*}", "write `{b}`");
        check("a://{b,c}", "write `{b}/{c}`");
        check("a://{b-c}", "`-` in the variable");
        check("a://{b}{c}", "nothing stands between `{b}` and `{c}`");
        check("a://{b}/{b}", "twice");
        check("a://b c", "write it as %20");
        check("a://100%", "write %25");
        check("b/c", "begins with its scheme");
        check("{a}://b", "begins with its scheme");
        check("", "begins with its scheme");
    }
}
