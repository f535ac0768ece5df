//! The keys of an attribute: each at most once, only known ones, each value of the kind that its key takes.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Expr, ExprLit, Ident, Lit, LitBool, LitStr, Path, Token, UnOp,
    ext::IdentExt,
    parse::{ParseStream, Parser},
    punctuated::Punctuated,
    spanned::Spanned,
    token,
};

use super::{
    description::Text,
    diagnostics::{Errors, list, nearest, remedy},
};

/// The keys of one attribute as they were written, until each is taken by what it means.
pub(crate) struct Options {
    attribute: &'static str,
    entries: Vec<Entry>,
    /// Keys that there are not.
    unknown: Vec<String>,
    /// There was a text without a key.
    keyless: bool,
}

struct Entry {
    key: Ident,
    value: Value,
}

enum Value {
    /// `key`
    Flag,
    /// `key = expression`
    Is(Expr),
    /// `key(…)`
    Of(TokenStream),
}

/// A value and where it stands.
#[derive(Clone)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

impl Options {
    /// Reads `tokens`, the inside of `#[attribute(…)]`.
    pub(crate) fn parse(attribute: &'static str, known: &[&str], tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self { attribute, entries: Vec::new(), unknown: Vec::new(), keyless: false };
        let parser = |input: ParseStream<'_>| {
            while !input.is_empty() {
                let read = match input.fork().parse::<LitStr>() {
                    Ok(text) => {
                        options.keyless = true;
                        Err(keyless(&text, input.peek2(Token![=]), known))
                    }
                    Err(_) => entry(input),
                };
                match read {
                    Ok(entry) => options.add(entry, known, errors),
                    Err(error) => {
                        errors.syntax(error);
                        while !input.is_empty() && !input.peek(Token![,]) {
                            input.parse::<TokenTree>()?;
                        }
                    }
                }
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        };
        if let Err(error) = parser.parse2(tokens) {
            errors.syntax(error);
        }
        options
    }

    /// Takes over the keys of a second attribute of the same name.
    pub(crate) fn extend(&mut self, tokens: TokenStream, known: &[&str], errors: &mut Errors) {
        let more = Self::parse(self.attribute, known, tokens, errors);
        for entry in more.entries {
            self.add(entry, known, errors);
        }
    }

    fn add(&mut self, entry: Entry, known: &[&str], errors: &mut Errors) {
        let key = entry.key.unraw().to_string();
        if !known.contains(&key.as_str()) {
            errors.at(entry.key.span(), self.say_unknown(&key, known));
            self.unknown.push(key);
        } else if self.entries.iter().any(|earlier| earlier.key == entry.key) {
            errors.at(entry.key.span(), format_args!("`{key}` is given twice; keep one"));
        } else {
            self.entries.push(entry);
        }
    }

    fn say_unknown(&self, key: &str, known: &[&str]) -> String {
        const SECRETS: [&str; 10] = [
            "secret",
            "jwt_secret",
            "key",
            "keys",
            "api_key",
            "api_keys",
            "apikeys",
            "client_secret",
            "password",
            "token",
        ];
        let attribute = self.attribute;
        if attribute == "mcp_server" && SECRETS.contains(&key) && nearest(key, known).is_none() {
            return format!(
                "`{key}`: a secret does not belong into source code; give it at run time: `MCP_JWT_SECRET`, `MCP_API_KEYS`, `MCP_OAUTH_CLIENT_SECRET`, or the options object"
            );
        }
        if attribute == "mcp_tool" && key == "annotations" {
            return "`annotations`: the hints of a tool are keys of their own: `read_only`, `destructive = bool`, `idempotent` and `open_world = bool`; write them in its place".to_owned();
        }
        let owners: Vec<_> = attributes().into_iter().filter(|(_, keys)| keys.contains(&key)).collect();
        let belongs = attributes().iter().any(|(own, _)| *own == attribute);
        if let ([(first, _), ..], true) = (owners.as_slice(), belongs) {
            let names: Vec<_> = owners.iter().map(|(name, _)| format!("#[{name}]")).collect();
            let names = list(&names.iter().map(String::as_str).collect::<Vec<_>>());
            let remedy = match (attribute, *first) {
                (_, "mcp") => "; write it at a parameter",
                ("mcp", _) => "; write it above the function",
                (_, "mcp_server") => "; write it above the block or the module",
                ("mcp_server", _) => "; write it above the function",
                _ => "; remove it here",
            };
            return format!("`{key}` is a key of {names}, not of `#[{attribute}]`{remedy}");
        }
        let whole = if attribute.starts_with("mcp") { format!("#[{attribute}]") } else { format!("{attribute}(…)") };
        format!("unknown key `{key}` of `{whole}`; {}", remedy(key, known))
    }

    fn take(&mut self, key: &str) -> Option<Entry> {
        let index = self.entries.iter().position(|entry| entry.key.unraw() == key)?;
        Some(self.entries.remove(index))
    }

    /// The first key that is there.
    pub(crate) fn first(&self) -> Option<At<String>> {
        self.entries.first().map(|entry| At { value: entry.key.unraw().to_string(), span: entry.key.span() })
    }

    /// Where a key stands that is there, whatever its value.
    pub(crate) fn key(&self, key: &str) -> Option<Span> {
        self.entries.iter().find(|entry| entry.key.unraw() == key).map(|entry| entry.key.span())
    }

    /// Whether something that was refused may have been this key: to say that it is missing would be to say so twice.
    pub(crate) fn may_have_meant(&self, key: &str) -> bool {
        let is_like = |unknown: &String| key.starts_with(&**unknown) || nearest(unknown, &[key]).is_some();
        self.keyless || self.unknown.iter().any(is_like)
    }

    /// Takes a key out whose value does not matter.
    pub(crate) fn discard(&mut self, key: &str) {
        self.take(key);
    }

    /// Takes out a key whose value is a call, `key = call(…)` or `key(…)`: what stands in it.
    pub(crate) fn call(&mut self, key: &str) -> Option<TokenStream> {
        let index = self.entries.iter().position(|entry| {
            entry.key.unraw() == key && matches!(entry.value, Value::Of(_) | Value::Is(Expr::Call(_) | Expr::Struct(_)))
        })?;
        let entry = self.entries.remove(index);
        Some(match entry.value {
            Value::Is(expr) => expr.into_token_stream(),
            Value::Of(_) | Value::Flag => entry.key.into_token_stream(),
        })
    }

    /// `key = "text"`
    pub(crate) fn text(&mut self, key: &str, errors: &mut Errors) -> Option<LitStr> {
        let text = self.any_text(key, "…", errors)?;
        if text.value().trim().is_empty() {
            errors.at(text.span(), format_args!("`{key}` is empty; write the text, or leave the key out"));
            return None;
        }
        Some(text)
    }

    /// `key = "text"`, where an empty text means something too.
    fn any_text(&mut self, key: &str, example: &str, errors: &mut Errors) -> Option<LitStr> {
        let value = self.assigned(key, &format!("\"{example}\""), errors)?;
        let text = string(&value);
        if text.is_none() {
            errors.on(&value, format_args!("`{key}` takes a string literal: `{key} = \"{example}\"`"));
        }
        text
    }

    /// `key = "text"`, or what a macro or a constant makes.
    pub(crate) fn prose(&mut self, key: &str, errors: &mut Errors) -> Option<Text> {
        let index = self.entries.iter().position(|entry| entry.key.unraw() == key)?;
        match &self.entries[index].value {
            Value::Is(expr @ (Expr::Macro(_) | Expr::Path(_))) => {
                let text = Text::expression(expr);
                self.entries.remove(index);
                Some(text)
            }
            _ => self.text(key, errors).map(|text| Text::literal(&text)),
        }
    }

    /// `key = "one of them"`
    pub(crate) fn choice(
        &mut self,
        key: &str,
        choices: &[&'static str],
        errors: &mut Errors,
    ) -> Option<At<&'static str>> {
        let text = self.any_text(key, choices[0], errors)?;
        let (value, span) = (text.value(), text.span());
        let chosen = choices.iter().find(|choice| **choice == value);
        if chosen.is_none() {
            errors.at(span, format_args!("unknown {key} `{value}`; {}", among(&value, choices)));
        }
        chosen.map(|value| At { value: *value, span })
    }

    /// `key`, or `key = true`
    pub(crate) fn flag(&mut self, key: &str, errors: &mut Errors) -> Option<At<bool>> {
        let entry = self.take(key)?;
        match entry.value {
            Value::Flag => Some(At { value: true, span: entry.key.span() }),
            value => boolean(key, &value, entry.key.span(), &format!("`{key}` or `{key} = false`"), errors),
        }
    }

    /// `key`, or `key = "choice"`: whether it is the choice. None where the key is not there, or false.
    pub(crate) fn flag_or_choice(&mut self, key: &str, choice: &'static str, errors: &mut Errors) -> Option<bool> {
        let entry = self.take(key)?;
        let usage = format!("`{key}`, `{key} = \"{choice}\"` or `{key} = false`");
        match entry.value {
            Value::Flag => Some(false),
            Value::Is(Expr::Lit(ExprLit { lit: Lit::Bool(LitBool { value, .. }), .. })) => value.then_some(false),
            Value::Is(value) => match string(&value) {
                Some(text) if text.value() == choice => Some(true),
                Some(text) => {
                    let given = text.value();
                    errors.at(text.span(), format_args!("unknown {key} `{given}`; write {usage}"));
                    None
                }
                None => {
                    errors.on(&value, format_args!("`{key}` takes no such value; write {usage}"));
                    None
                }
            },
            Value::Of(_) => {
                errors.at(entry.key.span(), format_args!("`{key}` takes no parentheses; write {usage}"));
                None
            }
        }
    }

    /// `key = true`
    pub(crate) fn boolean(&mut self, key: &str, errors: &mut Errors) -> Option<At<bool>> {
        let entry = self.take(key)?;
        let usage = format!("`{key} = true` or `{key} = false`");
        boolean(key, &entry.value, entry.key.span(), &usage, errors)
    }

    /// `key = 5`
    pub(crate) fn count(&mut self, key: &str, most: u64, errors: &mut Errors) -> Option<At<u64>> {
        let value = self.assigned(key, "5", errors)?;
        let number = match Number::parse(&value) {
            Some(Number { integer: Some(number), .. }) => u64::try_from(number).ok().filter(|number| *number <= most),
            _ => None,
        };
        if number.is_none() {
            let range = if most == u64::MAX { "of 0 or more".to_owned() } else { format!("from 0 to {most}") };
            errors.on(&value, format_args!("`{key}` takes an integer literal {range}"));
        }
        number.map(|number| At { value: number, span: value.span() })
    }

    /// `key = -1.5`
    pub(crate) fn number(&mut self, key: &str, errors: &mut Errors) -> Option<At<Number>> {
        let value = self.assigned(key, "1", errors)?;
        let number = Number::parse(&value);
        match &number {
            None => errors.on(&value, format_args!("`{key}` takes a number literal: `{key} = 1`")),
            Some(number) if !number.is_exact() => errors.on(
                &value,
                format_args!(
                    "`{key}` is beyond ±2^53, where JSON numbers lose digits; choose a smaller one, or leave it out"
                ),
            ),
            Some(_) => {}
        }
        number.filter(Number::is_exact).map(|number| At { value: number, span: value.span() })
    }

    /// `key = "30s"`, in milliseconds
    pub(crate) fn duration(&mut self, key: &str, errors: &mut Errors) -> Option<At<u64>> {
        let value = self.assigned(key, "\"30s\"", errors)?;
        let millis = string(&value).and_then(|text| millis(&text.value()));
        if millis.is_none() {
            errors.on(
                &value,
                format_args!("`{key}` takes a duration: a number and `ms`, `s`, `m` or `h`, such as `{key} = \"30s\"`"),
            );
        }
        millis.map(|millis| At { value: millis, span: value.span() })
    }

    /// `key = ["a", "b"]`
    pub(crate) fn strings(&mut self, key: &str, errors: &mut Errors) -> Option<Vec<LitStr>> {
        let value = self.assigned(key, "[\"…\"]", errors)?;
        let Expr::Array(array) = &value else {
            errors.on(&value, format_args!("`{key}` takes a list of string literals: `{key} = [\"…\"]`"));
            return None;
        };
        let mut texts = Vec::new();
        for element in &array.elems {
            match string(element) {
                Some(text) => texts.push(text),
                None => errors.on(element, format_args!("`{key}` takes string literals: `{key} = [\"…\"]`")),
            }
        }
        Some(texts)
    }

    /// `key("a", "b")`
    pub(crate) fn arguments(&mut self, key: &str, errors: &mut Errors) -> Option<Vec<LitStr>> {
        let entry = self.take(key)?;
        let usage = format!("`{key}` takes string literals in parentheses: `{key}(\"…\")`");
        let Value::Of(tokens) = entry.value else {
            errors.at(entry.key.span(), usage);
            return None;
        };
        let parser = Punctuated::<LitStr, Token![,]>::parse_terminated;
        match parser.parse2(tokens) {
            Ok(texts) if texts.is_empty() => {
                errors.at(entry.key.span(), usage);
                None
            }
            Ok(texts) => Some(texts.into_iter().collect()),
            Err(error) => {
                errors.at(error.span(), usage);
                None
            }
        }
    }

    /// `key(inner = …)`
    pub(crate) fn inner(&mut self, key: &'static str, known: &[&str], errors: &mut Errors) -> Option<Self> {
        let entry = self.take(key)?;
        let Value::Of(tokens) = entry.value else {
            errors.at(entry.key.span(), format_args!("`{key}` takes keys in parentheses: `{key}({} = …)`", known[0]));
            return None;
        };
        Some(Self::parse(key, known, tokens, errors))
    }

    /// `key = path`
    pub(crate) fn path(&mut self, key: &str, example: &str, errors: &mut Errors) -> Option<Path> {
        match self.assigned(key, example, errors)? {
            Expr::Path(path) if path.qself.is_none() => Some(path.path),
            value => {
                errors.on(&value, format_args!("`{key}` takes a path: `{key} = {example}`"));
                None
            }
        }
    }

    /// `crate = ::path`
    pub(crate) fn krate(&mut self, errors: &mut Errors) -> Option<Path> {
        let mut path = self.path("crate", "::mcp_runtime", errors)?;
        let first = path.segments.first().map(|segment| segment.ident.to_string()).unwrap_or_default();
        match first.as_str() {
            "self" | "super" | "Self" => {
                let last = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
                errors.on(
                    &path,
                    format_args!("a path that holds everywhere begins with `crate` or the name of a dependency; write `crate = crate::…::{last}`"),
                );
                None
            }
            "crate" => Some(path),
            // A dependency, whatever the module has of that name.
            _ => {
                let span = path.span();
                path.leading_colon.get_or_insert_with(|| Token![::](span));
                Some(path)
            }
        }
    }

    /// `key = expression`
    pub(crate) fn expression(&mut self, key: &str, errors: &mut Errors) -> Option<Expr> {
        self.assigned(key, "…", errors)
    }

    /// `key` or `key = expression`, which is `Some(None)` without one
    pub(crate) fn optional_expression(&mut self, key: &str, errors: &mut Errors) -> Option<(Span, Option<Expr>)> {
        let entry = self.take(key)?;
        let span = entry.key.span();
        match entry.value {
            Value::Flag => Some((span, None)),
            Value::Is(expr) => Some((span, Some(ungrouped(expr)))),
            Value::Of(_) => {
                errors.at(span, format_args!("`{key}` takes a value behind `=`: `{key} = …`, or none at all"));
                None
            }
        }
    }

    fn assigned(&mut self, key: &str, example: &str, errors: &mut Errors) -> Option<Expr> {
        let entry = self.take(key)?;
        match entry.value {
            Value::Is(expr) => Some(ungrouped(expr)),
            _ => {
                errors.at(entry.key.span(), format_args!("`{key}` needs a value: `{key} = {example}`"));
                None
            }
        }
    }
}

/// All attributes with their keys.
fn attributes() -> [(&'static str, &'static [&'static str]); 5] {
    [
        ("mcp_tool", &super::tool::KEYS),
        ("mcp_resource", &super::resource::KEYS),
        ("mcp_prompt", &super::prompt::KEYS),
        ("mcp_server", &super::server_options::KEYS),
        ("mcp", &super::parameter::KEYS),
    ]
}

fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    if !input.peek(Ident::peek_any) {
        return Err(input.error("expected a key, such as `name = \"…\"`"));
    }
    let key = Ident::parse_any(input)?;
    let value = if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        if input.is_empty() || input.peek(Token![,]) {
            return Err(syn::Error::new(key.span(), format_args!("`{key}` has no value behind its `=`; write one")));
        }
        Value::Is(input.parse()?)
    } else if input.peek(token::Paren) {
        let content;
        syn::parenthesized!(content in input);
        Value::Of(content.parse()?)
    } else {
        Value::Flag
    };
    if input.peek(Token![:]) && !input.peek(Token![::]) {
        return Err(input.error(format_args!("a value stands behind `=`; write `{key} = …`")));
    }
    if !input.is_empty() && !input.peek(Token![,]) {
        return Err(input.error("expected a comma between two keys"));
    }
    Ok(Entry { key, value })
}

/// What is said of a text where a key should be.
fn keyless(text: &LitStr, is_key: bool, known: &[&str]) -> syn::Error {
    let value = text.value();
    let message = if is_key {
        format!("a key stands without quotes; write `{value} = …`")
    } else {
        let is_prose = value.contains(char::is_whitespace) && known.contains(&"description");
        let key = if is_prose { "description" } else { known.first().copied().unwrap_or_default() };
        format!("a text without its key; write `{key} = {}`", text.token())
    };
    syn::Error::new(text.span(), message)
}

fn boolean(key: &str, value: &Value, span: Span, usage: &str, errors: &mut Errors) -> Option<At<bool>> {
    if let Value::Is(Expr::Lit(ExprLit { lit: Lit::Bool(LitBool { value, span }), .. })) = value {
        return Some(At { value: *value, span: *span });
    }
    let message = format!("`{key}` is true or false; write {usage}");
    match value {
        Value::Is(expr) => errors.on(expr, message),
        Value::Flag | Value::Of(_) => errors.at(span, message),
    }
    None
}

fn among(value: &str, choices: &[&str]) -> String {
    match nearest(value, choices) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("choose one of {}", list(choices)),
    }
}

/// A literal that is a string.
pub(crate) fn string(expr: &Expr) -> Option<LitStr> {
    match expr {
        Expr::Group(group) => string(&group.expr),
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.suffix().is_empty() => Some(text.clone()),
        _ => None,
    }
}

/// Without the invisible parentheses of a macro by example.
fn ungrouped(expr: Expr) -> Expr {
    match expr {
        Expr::Group(group) => ungrouped(*group.expr),
        expr => expr,
    }
}

fn millis(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(end);
    let unit = match unit.trim_start() {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

/// A literal number.
#[derive(Clone)]
pub(crate) struct Number {
    pub(crate) value: f64,
    pub(crate) integer: Option<i128>,
}

impl Number {
    pub(crate) fn parse(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Group(group) => Self::parse(&group.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                let Self { value, integer } = Self::parse(&unary.expr)?;
                Some(Self { value: -value, integer: integer.map(|integer| -integer) })
            }
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => {
                let integer: i128 = int.base10_parse().ok()?;
                Some(Self { value: int.base10_digits().parse().ok()?, integer: Some(integer) })
            }
            Expr::Lit(ExprLit { lit: Lit::Float(float), .. }) => {
                let value: f64 = float.base10_digits().parse().ok()?;
                value.is_finite().then_some(Self { value, integer: None })
            }
            _ => None,
        }
    }

    /// Whether a JSON number tells it to the last digit.
    fn is_exact(&self) -> bool {
        const EXACT: i128 = 1 << 53;
        self.integer.is_none_or(|integer| (-EXACT..=EXACT).contains(&integer))
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.integer {
            Some(integer) => integer.fmt(f),
            None => self.value.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::millis;

    #[test]
    fn durations_have_units() {
        assert_eq!(millis("250ms"), Some(250));
        assert_eq!(millis("30s"), Some(30_000));
        assert_eq!(millis("5 m"), Some(300_000));
        assert_eq!(millis("2h"), Some(7_200_000));
        for wrong in ["", "s", "30", "1.5s", "-1s", "30 days", "99999999999999999999h"] {
            assert_eq!(millis(wrong), None, "{wrong}");
        }
    }
}
