//! `#[mcp(…)]` on a parameter: what is said of one argument, and whether it fits together.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use regex_lite::Regex;
use syn::{
    Expr, ExprLit, GenericArgument, Ident, Lit, LitStr, Meta, Path, PathArguments, Token, Type, TypePath,
    ext::IdentExt, punctuated::Punctuated, spanned::Spanned,
};

use super::{
    description::Text,
    diagnostics::Errors,
    options::{At, Number, Options, string},
    paths::{Runtime, hygienic},
    signature::{Input, Kind, written},
};

pub(crate) const KEYS: [&str; 16] = [
    "name",
    "description",
    "default",
    "flatten",
    "minimum",
    "maximum",
    "exclusive_minimum",
    "exclusive_maximum",
    "min_length",
    "max_length",
    "pattern",
    "min_items",
    "max_items",
    "format",
    "header",
    "complete",
];

/// What is said of one parameter, checked.
pub(crate) struct Parameter {
    /// The name on the wire.
    pub(crate) name: String,
    /// Where that name stands.
    pub(crate) name_span: Span,
    /// The first key of its `#[mcp(…)]`.
    pub(crate) said: Option<At<String>>,
    pub(crate) default: Option<TokenStream>,
    pub(crate) header: Option<LitStr>,
    description: Option<Text>,
    flatten: bool,
    default_json: Option<String>,
    bounds: Bounds,
    complete: Option<Path>,
}

#[derive(Default)]
struct Bounds {
    minimum: Option<At<Number>>,
    maximum: Option<At<Number>>,
    exclusive_minimum: Option<At<Number>>,
    exclusive_maximum: Option<At<Number>>,
    min_length: Option<At<u64>>,
    max_length: Option<At<u64>>,
    pattern: Option<LitStr>,
    min_items: Option<At<u64>>,
    max_items: Option<At<u64>>,
    format: Option<LitStr>,
}

impl Parameter {
    /// Checks what the attributes of `input` say.
    pub(crate) fn validate(input: &Input, kind: Kind, errors: &mut Errors) -> Self {
        let mut options = read(input, errors);
        refuse_unfit_keys(&mut options, kind, errors);
        refuse_flattened_keys(&mut options, errors);
        let said = options.first();
        let (name, name_span) = match options.text("name", errors) {
            Some(name) => (name.value(), name.span()),
            None => (input.ident.unraw().to_string(), input.ident.span()),
        };
        let optional = optional(&input.ty);
        let primitive = Primitive::of(optional.unwrap_or(&input.ty));
        if let Some(primitive) = &primitive {
            primitive.refuse_foreign_bounds(&options, errors);
        }
        let flatten = options.flag("flatten", errors).filter(|flatten| flatten.value);
        if let (Some(primitive), Some(At { span, .. })) = (&primitive, &flatten) {
            errors.at(
                *span,
                format_args!(
                    "`flatten` takes the fields of a struct for the arguments, and `{}` has none; remove it",
                    primitive.name()
                ),
            );
        }
        let bounds = Bounds::validate(&mut options, primitive.as_ref(), errors);
        let (default, default_json) = match options.optional_expression("default", errors) {
            None => (None, None),
            Some((span, None)) => {
                if optional.is_none() {
                    bounds.check_empty_default(span, primitive.as_ref(), errors);
                }
                (Some(quote_spanned!(hygienic(span)=> || ::core::default::Default::default())), None)
            }
            Some((_, Some(value))) => {
                let fits = match optional {
                    Some(inner) => check_optional_default(&value, inner, errors),
                    None => check_default(&value, primitive.as_ref(), errors),
                };
                if fits {
                    bounds.check_default(&value, errors);
                }
                let number = primitive.as_ref().filter(|primitive| optional.is_none() && primitive.is_number());
                let check = number.and_then(|number| bounds.check_of_constant(&value, number));
                (Some(closure(&value, primitive.as_ref(), check)), json(&value))
            }
        };
        Self {
            name,
            name_span,
            said,
            default,
            header: options.text("header", errors).filter(|name| check_header(name, primitive.as_ref(), errors)),
            description: options.prose("description", errors).or_else(|| Text::from_docs(&input.attrs)),
            flatten: flatten.is_some(),
            default_json: default_json.filter(|_| kind == Kind::Tool),
            bounds,
            complete: options.path("complete", "function", errors),
        }
    }

    /// Whether a function completes it.
    pub(crate) fn is_completed(&self) -> bool {
        self.complete.is_some()
    }

    /// The constant that the runtime reads.
    pub(crate) fn expand(&self, runtime: &Runtime, span: Span) -> TokenStream {
        let Self { name, name_span: _, said: _, default, header, description, flatten, default_json, bounds, complete } =
            self;
        let description = description.iter();
        let flatten = flatten.then(|| quote_spanned!(span=> .flatten(true)));
        let default = default.as_ref().map(|_| quote_spanned!(span=> .has_default(true)));
        let default_json = default_json.iter();
        let bounds = bounds.expand(span);
        let header = header.iter();
        let complete = complete.as_ref().map(|path| {
            let span = hygienic(path.span());
            let runtime = runtime.at(span);
            quote_spanned! {span=>
                .complete(|__request| ::std::boxed::Box::pin(async move {
                    #runtime::completions(#path(__request.take())).await
                }))
            }
        });
        let runtime = runtime.at(span);
        quote_spanned! {span=>
            #runtime::Parameter::new(#name)
                #(.description(#description))* #flatten #default #(.default_json(#default_json))* #bounds
                #(.header(#header))* #complete
        }
    }
}

/// The keys of all `#[mcp(…)]` on the parameter, as one.
fn read(input: &Input, errors: &mut Errors) -> Options {
    let mut options = Options::parse("mcp", &KEYS, TokenStream::new(), errors);
    for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("mcp")) {
        match &attr.meta {
            Meta::List(list) => options.extend(list.tokens.clone(), &KEYS, errors),
            meta => {
                errors.on(meta, "`#[mcp]` says nothing; write its keys in parentheses: `#[mcp(description = \"…\")]`")
            }
        }
    }
    options
}

fn refuse_unfit_keys(options: &mut Options, kind: Kind, errors: &mut Errors) {
    let (fit, reason): (&[&str], _) = match kind {
        Kind::Tool => {
            let fit = KEYS.iter().position(|key| *key == "complete").map_or(&KEYS[..], |index| &KEYS[..index]);
            (fit, "clients ask for completions of prompts and resource templates only; remove it")
        }
        Kind::Prompt => (
            &["name", "description", "default", "complete"],
            "the arguments of a prompt are text without a schema; remove it, and let the type's `FromStr` check the text",
        ),
        Kind::Resource => (
            &["name", "description", "complete"],
            "the variables of a template are always there and have no schema; remove it, and let the type's `FromStr` check the text",
        ),
    };
    for key in KEYS.iter().filter(|key| !fit.contains(key)) {
        if let Some(span) = options.key(key) {
            errors.at(span, format_args!("`{key}` has no meaning here: {reason}"));
            options.discard(key);
        }
    }
}

fn refuse_flattened_keys(options: &mut Options, errors: &mut Errors) {
    if options.key("flatten").is_none() {
        return;
    }
    for key in KEYS.iter().filter(|key| **key != "flatten") {
        if let Some(span) = options.key(key) {
            errors.at(
                span,
                format_args!("`{key}` beside `flatten`: the fields of the type are the arguments; say it there, and remove it here"),
            );
            options.discard(key);
        }
    }
}

/// RFC 9110: a token; and the types that a header can repeat.
fn check_header(name: &LitStr, primitive: Option<&Primitive>, errors: &mut Errors) -> bool {
    let text = name.value();
    let token = text.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c));
    if !token {
        errors.at(
            name.span(),
            format_args!("`{text}` is no header name; use letters, digits and hyphens, such as `Region`"),
        );
    } else if let Some(primitive @ (Primitive::Float { .. } | Primitive::List)) = primitive {
        errors.at(
            name.span(),
            format_args!(
                "a header repeats integers, texts and booleans, and `{}` is none; remove `header`",
                primitive.name()
            ),
        );
        return false;
    }
    token
}

/// A bound of numbers, on one of their two sides.
struct Limit<'a> {
    key: &'static str,
    bound: &'a At<Number>,
    /// It is itself no value that fits.
    open: bool,
}

impl<'a> Limit<'a> {
    /// The one of two that leaves fewer numbers, upwards for `1.0` and downwards for `-1.0`.
    fn tightest(
        (key, closed): (&'static str, &'a Option<At<Number>>),
        (open_key, open): (&'static str, &'a Option<At<Number>>),
        side: f64,
    ) -> Option<Self> {
        let closed = closed.as_ref().map(|bound| Self { key, bound, open: false });
        let open = open.as_ref().map(|bound| Self { key: open_key, bound, open: true });
        let height = |limit: &Self| limit.bound.value.value * side;
        match (closed, open) {
            (Some(closed), Some(open)) if height(&closed) > height(&open) => Some(closed),
            (closed, open) => open.or(closed),
        }
    }

    /// Whether no number at all keeps both this, from below, and the other.
    fn excludes(&self, high: &Self) -> bool {
        let (low, open, high, high_open) = (&self.bound.value, self.open, &high.bound.value, high.open);
        low.value > high.value || low.value >= high.value && (open || high_open)
    }

    /// The least integer that keeps it, from below.
    fn least(&self) -> i128 {
        let Number { value, integer } = &self.bound.value;
        match integer {
            Some(integer) => integer.saturating_add(self.open.into()),
            None if self.open => (value.floor() as i128).saturating_add(1),
            None => value.ceil() as i128,
        }
    }

    /// The greatest integer that keeps it, from above.
    fn most(&self) -> i128 {
        let Number { value, integer } = &self.bound.value;
        match integer {
            Some(integer) => integer.saturating_sub(self.open.into()),
            None if self.open => (value.ceil() as i128).saturating_sub(1),
            None => value.floor() as i128,
        }
    }
}

impl std::fmt::Display for Limit<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` {}", self.key, self.bound.value)
    }
}

impl Bounds {
    fn validate(options: &mut Options, primitive: Option<&Primitive>, errors: &mut Errors) -> Self {
        let bounds = Self {
            minimum: options.number("minimum", errors),
            maximum: options.number("maximum", errors),
            exclusive_minimum: options.number("exclusive_minimum", errors),
            exclusive_maximum: options.number("exclusive_maximum", errors),
            min_length: options.count("min_length", u64::MAX, errors),
            max_length: options.count("max_length", u64::MAX, errors),
            pattern: options.text("pattern", errors).filter(|pattern| check_pattern(pattern, errors)),
            min_items: options.count("min_items", u64::MAX, errors),
            max_items: options.count("max_items", u64::MAX, errors),
            format: options.text("format", errors),
        };
        let within = primitive.is_none_or(|primitive| bounds.check_range(primitive, errors));
        bounds.check_order(primitive.filter(|_| within), errors);
        bounds
    }

    /// Some value must fit between the bounds.
    fn check_order(&self, primitive: Option<&Primitive>, errors: &mut Errors) {
        self.check_numbers(primitive, errors);
        for (kind, low, high) in
            [("length", &self.min_length, &self.max_length), ("items", &self.min_items, &self.max_items)]
        {
            if let (Some(low), Some(high)) = (low, high)
                && low.value > high.value
            {
                let (low, span, high) = (low.value, high.span, high.value);
                errors.at(
                    span,
                    format_args!(
                        "no value fits between `min_{kind}` {low} and `max_{kind}` {high}; change one of them"
                    ),
                );
            }
        }
    }

    fn check_numbers(&self, primitive: Option<&Primitive>, errors: &mut Errors) {
        let low = Limit::tightest(("minimum", &self.minimum), ("exclusive_minimum", &self.exclusive_minimum), 1.0);
        let high = Limit::tightest(("maximum", &self.maximum), ("exclusive_maximum", &self.exclusive_maximum), -1.0);
        // Between two neighbours is no integer, and none beyond the first and the last of its type.
        let without_one = primitive.filter(|primitive| {
            let Primitive::Integer { least, most, .. } = primitive else { return false };
            let from = low.as_ref().map_or(*least, |low| low.least().max(*least));
            from > high.as_ref().map_or(*most, |high| high.most().min(*most))
        });
        match (&low, &high) {
            (Some(low), Some(high)) if low.excludes(high) || without_one.is_some() => {
                let what = match without_one.filter(|_| !low.excludes(high)) {
                    Some(integer) => format!("`{}`", integer.name()),
                    None => "value".to_owned(),
                };
                errors.at(high.bound.span, format_args!("no {what} fits between {low} and {high}; change one of them"));
            }
            (Some(only), None) | (None, Some(only)) => {
                if let Some(Primitive::Integer { name, least, most }) = without_one {
                    errors.at(
                        only.bound.span,
                        format_args!(
                            "no `{name}` keeps {only}, since it goes from {least} to {most}; change the bound"
                        ),
                    );
                }
            }
            _ => {}
        }
    }

    /// A bound beyond the type's own says nothing. Whether all are within.
    fn check_range(&self, primitive: &Primitive, errors: &mut Errors) -> bool {
        let Primitive::Integer { name, least, most } = primitive else {
            return true;
        };
        let mut within = true;
        for (key, bound) in [
            ("minimum", &self.minimum),
            ("maximum", &self.maximum),
            ("exclusive_minimum", &self.exclusive_minimum),
            ("exclusive_maximum", &self.exclusive_maximum),
        ] {
            if let Some(At { value: Number { integer: Some(integer), .. }, span }) = bound
                && !(*least..=*most).contains(integer)
            {
                within = false;
                errors.at(
                    *span,
                    format_args!(
                        "`{key}` {integer} is beyond `{name}`, which goes from {least} to {most}; choose a bound within"
                    ),
                );
            }
        }
        within
    }

    /// The bounds that a number does not keep, the first of them.
    fn broken_by(&self, value: f64) -> Option<(&'static str, &Number)> {
        let broken = [
            ("minimum", self.minimum.as_ref().filter(|bound| value < bound.value.value)),
            ("maximum", self.maximum.as_ref().filter(|bound| value > bound.value.value)),
            ("exclusive_minimum", self.exclusive_minimum.as_ref().filter(|bound| value <= bound.value.value)),
            ("exclusive_maximum", self.exclusive_maximum.as_ref().filter(|bound| value >= bound.value.value)),
        ];
        broken.into_iter().find_map(|(key, bound)| Some((key, &bound?.value)))
    }

    /// `default` alone is 0, an empty text or an empty list.
    fn check_empty_default(&self, span: Span, primitive: Option<&Primitive>, errors: &mut Errors) {
        let least = |key, least: &Option<At<u64>>| Some((key, least.as_ref()?.value.to_string()));
        let (empty, broken) = match primitive {
            Some(Primitive::Integer { .. } | Primitive::Float { .. }) => {
                ("0", self.broken_by(0.0).map(|(key, bound)| (key, bound.to_string())))
            }
            Some(Primitive::Text) => ("\"\"", least("min_length", &self.min_length)),
            Some(Primitive::List) => ("[]", least("min_items", &self.min_items)),
            _ => return,
        };
        if let Some((key, bound)) = broken.filter(|(_, bound)| empty == "0" || bound != "0") {
            errors.at(
                span,
                format_args!(
                    "the default {empty} breaks its `{key}` of {bound}; write another one, `default = …`, or change it"
                ),
            );
        } else if let Some(Primitive::Text) = primitive
            && let Some(pattern) = self.pattern_against("")
        {
            errors.at(
                span,
                format_args!(
                    "the default \"\" does not match its `pattern` {pattern}; write another one, `default = …`, or change it"
                ),
            );
        }
    }

    /// What tells, when the code is made, whether a constant of a number type keeps the bounds.
    fn check_of_constant(&self, value: &Expr, number: &Primitive) -> Option<TokenStream> {
        let Expr::Path(_) = value else { return None };
        let span = hygienic(value.span());
        let ty = Ident::new(number.name(), span);
        let mut checks = Vec::new();
        for (key, bound, operator) in [
            ("minimum", &self.minimum, quote_spanned!(span=> >=)),
            ("maximum", &self.maximum, quote_spanned!(span=> <=)),
            ("exclusive_minimum", &self.exclusive_minimum, quote_spanned!(span=> >)),
            ("exclusive_maximum", &self.exclusive_maximum, quote_spanned!(span=> <)),
        ] {
            if let Some(At { value: Number { value: number, .. }, .. }) = bound {
                let message = format!("the default breaks its `{key}` of {number}; change one of them");
                let check = match ty == "f32" {
                    // As near to the bound as the constant can be.
                    true => quote_spanned!(span=> number #operator #number as ::core::primitive::f32),
                    false => quote_spanned!(span=> number as ::core::primitive::f64 #operator #number),
                };
                checks.push(quote_spanned!(span=> ::core::assert!(#check, #message);));
            }
        }
        (!checks.is_empty()).then(|| {
            quote_spanned!(span=> const {
                let number: ::core::primitive::#ty = #value;
                #(#checks)*
            })
        })
    }

    /// The default must keep the bounds that it stands beside.
    fn check_default(&self, default: &Expr, errors: &mut Errors) {
        if let Some(number) = Number::parse(default) {
            if let Some((key, bound)) = self.broken_by(number.value) {
                errors.on(
                    default,
                    format_args!("the default {number} breaks its `{key}` of {bound}; change one of them"),
                );
            }
        } else if let Some(text) = string(default) {
            let text = text.value();
            let length = text.chars().count() as u64;
            let broken = [
                ("min_length", self.min_length.as_ref().filter(|bound| length < bound.value)),
                ("max_length", self.max_length.as_ref().filter(|bound| length > bound.value)),
            ];
            if let Some((key, bound)) = broken.into_iter().find_map(|(key, bound)| Some((key, bound?))) {
                let bound = bound.value;
                errors.on(
                    default,
                    format_args!(
                        "the default has {length} characters, which breaks its `{key}` of {bound}; change one of them"
                    ),
                );
            }
            if let Some(pattern) = self.pattern_against(&text) {
                errors.on(
                    default,
                    format_args!("the default does not match its `pattern` {pattern}; change one of them"),
                );
            }
        }
    }

    /// The pattern, where the text does not match it.
    fn pattern_against(&self, text: &str) -> Option<String> {
        let pattern = self.pattern.as_ref()?.value();
        let regex = Regex::new(&pattern).ok()?;
        (!regex.is_match(text)).then_some(pattern)
    }

    fn expand(&self, span: Span) -> TokenStream {
        let number = |bound: &Option<At<Number>>| bound.as_ref().map(|bound| bound.value.value).into_iter();
        let count = |bound: &Option<At<u64>>| bound.as_ref().map(|bound| bound.value).into_iter();
        let minimum = number(&self.minimum);
        let maximum = number(&self.maximum);
        let exclusive_minimum = number(&self.exclusive_minimum);
        let exclusive_maximum = number(&self.exclusive_maximum);
        let min_length = count(&self.min_length);
        let max_length = count(&self.max_length);
        let pattern = self.pattern.iter();
        let min_items = count(&self.min_items);
        let max_items = count(&self.max_items);
        let format = self.format.iter();
        quote_spanned! {span=>
            #(.minimum(#minimum))* #(.maximum(#maximum))*
            #(.exclusive_minimum(#exclusive_minimum))* #(.exclusive_maximum(#exclusive_maximum))*
            #(.min_length(#min_length))* #(.max_length(#max_length))* #(.pattern(#pattern))*
            #(.min_items(#min_items))* #(.max_items(#max_items))* #(.format(#format))*
        }
    }
}

fn check_pattern(pattern: &LitStr, errors: &mut Errors) -> bool {
    match Regex::new(&pattern.value()) {
        Ok(_) => true,
        Err(error) => {
            errors.at(
                pattern.span(),
                format_args!("`pattern` is no regular expression: {error}; mend it (look-around and back-references are not known)"),
            );
            false
        }
    }
}

/// Types of the language itself, whose literals can be judged here.
enum Primitive {
    Integer { name: String, least: i128, most: i128 },
    Float { name: String },
    Bool,
    Char,
    Text,
    List,
}

impl Primitive {
    fn of(ty: &Type) -> Option<Self> {
        let Type::Path(path) = ty else { return None };
        if arguments_of(path, "Vec").is_some() {
            return Some(Self::List);
        }
        let name = path.path.get_ident().filter(|_| path.qself.is_none())?.to_string();
        let (least, most) = match name.as_str() {
            "i8" => (i8::MIN.into(), i8::MAX.into()),
            "i16" => (i16::MIN.into(), i16::MAX.into()),
            "i32" => (i32::MIN.into(), i32::MAX.into()),
            "i64" | "isize" => (i64::MIN.into(), i64::MAX.into()),
            "i128" => (i128::MIN, i128::MAX),
            "u8" => (0, u8::MAX.into()),
            "u16" => (0, u16::MAX.into()),
            "u32" => (0, u32::MAX.into()),
            "u64" | "usize" => (0, u64::MAX.into()),
            "u128" => (0, i128::MAX),
            "f32" | "f64" => return Some(Self::Float { name }),
            "bool" => return Some(Self::Bool),
            "char" => return Some(Self::Char),
            "String" => return Some(Self::Text),
            _ => return None,
        };
        Some(Self::Integer { name, least, most })
    }

    fn name(&self) -> &str {
        match self {
            Self::Integer { name, .. } | Self::Float { name } => name,
            Self::Bool => "bool",
            Self::Char => "char",
            Self::Text => "String",
            Self::List => "Vec",
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Self::Integer { .. } | Self::Float { .. })
    }

    /// Bounds that count what a value of this type does not have.
    fn refuse_foreign_bounds(&self, options: &Options, errors: &mut Errors) {
        const OF_NUMBERS: [&str; 4] = ["minimum", "maximum", "exclusive_minimum", "exclusive_maximum"];
        const OF_TEXT: [&str; 3] = ["min_length", "max_length", "pattern"];
        const OF_LISTS: [&str; 2] = ["min_items", "max_items"];
        let name = self.name();
        for (keys, what) in [(&OF_NUMBERS[..], "numbers"), (&OF_TEXT, "texts"), (&OF_LISTS, "lists")] {
            let fits = match what {
                "numbers" => self.is_number(),
                "texts" => matches!(self, Self::Text),
                _ => matches!(self, Self::List),
            };
            if fits {
                continue;
            }
            for key in keys {
                if let Some(span) = options.key(key) {
                    let instead = match *key {
                        "min_length" | "min_items" if self.is_number() => "; `minimum` is for numbers",
                        "max_length" | "max_items" if self.is_number() => "; `maximum` is for numbers",
                        "min_length" | "minimum" if matches!(self, Self::List) => "; `min_items` is for lists",
                        "max_length" | "maximum" if matches!(self, Self::List) => "; `max_items` is for lists",
                        "min_items" | "minimum" if matches!(self, Self::Text) => "; `min_length` is for texts",
                        "max_items" | "maximum" if matches!(self, Self::Text) => "; `max_length` is for texts",
                        _ => "; remove it",
                    };
                    errors.at(span, format_args!("`{key}` is for {what}, and `{name}` is none{instead}"));
                }
            }
        }
    }
}

/// Whether a literal is one of the type; anything else is left to the compiler.
fn check_default(value: &Expr, primitive: Option<&Primitive>, errors: &mut Errors) -> bool {
    let Some(primitive) = primitive else {
        return true;
    };
    let number = Number::parse(value);
    let fits = match (primitive, &number, value) {
        (Primitive::Integer { least, most, .. }, Some(Number { integer: Some(integer), .. }), _) => {
            (*least..=*most).contains(integer)
        }
        (Primitive::Float { .. }, Some(_), _) => true,
        (Primitive::Bool, None, Expr::Lit(ExprLit { lit: Lit::Bool(_), .. })) => true,
        (Primitive::Char, None, Expr::Lit(ExprLit { lit: Lit::Char(_), .. })) => true,
        (Primitive::Text, None, _) if string(value).is_some() => true,
        (_, None, Expr::Lit(_)) | (_, Some(_), _) => false,
        _ => true,
    };
    if !fits {
        let written = written(value);
        let name = primitive.name();
        let remedy = match primitive {
            Primitive::Integer { least, most, .. } => {
                format!("write an integer from {least} to {most}")
            }
            Primitive::Float { .. } => "write a number".to_owned(),
            Primitive::Bool => "write `true` or `false`".to_owned(),
            Primitive::Char => "write a character in single quotes".to_owned(),
            Primitive::Text => "write a string in double quotes".to_owned(),
            Primitive::List => "write a list, such as `vec![]`".to_owned(),
        };
        errors.on(value, format_args!("the default `{written}` does not fit the type `{name}`; {remedy}"));
    }
    fits
}

/// `T` of `Option<T>`.
fn optional(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    match arguments_of(path, "Option")?.first()? {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// What stands in the angle brackets of a type of that name.
fn arguments_of<'a>(path: &'a TypePath, name: &str) -> Option<&'a Punctuated<GenericArgument, Token![,]>> {
    let last = path.path.segments.last().filter(|last| path.qself.is_none() && last.ident == name)?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    }
}

/// A literal is never an `Option`.
fn check_optional_default(value: &Expr, inner: &Type, errors: &mut Errors) -> bool {
    let literal = matches!(value, Expr::Lit(_)) || Number::parse(value).is_some();
    if literal {
        let (written, ty) = (written(value), written(inner));
        errors.on(
            value,
            format_args!(
                "with the default `{written}` the argument is never missing; take `{ty}` in place of `Option<{ty}>`"
            ),
        );
    }
    !literal
}

/// What makes the default: a text becomes any type that is made from text, an integer becomes a float.
fn closure(value: &Expr, primitive: Option<&Primitive>, check: Option<TokenStream>) -> TokenStream {
    let span = hygienic(value.span());
    if let Some(text) = string(value) {
        return quote_spanned!(span=> || ::core::convert::Into::into(#text));
    }
    if let (Some(Primitive::Float { .. }), Some(Number { value, integer: Some(_) })) = (primitive, Number::parse(value))
    {
        let mut float = proc_macro2::Literal::f64_unsuffixed(value.abs());
        float.set_span(span);
        let sign = (value < 0.0).then(|| quote_spanned!(span=> -));
        return quote_spanned!(span=> || #sign #float);
    }
    match check {
        Some(check) => quote_spanned!(span=> || { #check #value }),
        None => quote_spanned!(span=> || #value),
    }
}

/// A literal as JSON.
fn json(value: &Expr) -> Option<String> {
    if let Some(number) = Number::parse(value) {
        return Some(number.to_string());
    }
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(json_string(&text.value())),
        Expr::Lit(ExprLit { lit: Lit::Char(c), .. }) => Some(json_string(&c.value().to_string())),
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Some(value.value.to_string()),
        _ => None,
    }
}

fn json_string(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if c.is_control() && c.is_ascii() => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}
