//! `#[mcp_server]`: gathers the annotated functions of a block or a module, checks across them, and makes the server.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Attribute, Ident, spanned::Spanned};

use super::{
    attributes::{Use, kinds_of, refuse_stray_mcp},
    block::{Block, Form, Member, Members},
    call::Scope,
    diagnostics::Errors,
    entry::{Entry, only_one},
    paths::{hygienic, namesake},
    server_options::ServerOptions,
    signature::Kind,
};

/// The whole of `#[mcp_server(…)]`.
pub(crate) fn expand(keys: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut block = match Block::parse(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            errors.syntax(error);
            let errors = errors.into_tokens();
            return quote_spanned!(Span::mixed_site()=> #errors #item);
        }
    };
    block.refuse_second(&mut errors);
    let options = ServerOptions::validate(keys, &block.attrs, &mut errors);
    let gathered = Gathered::of(block, &mut errors);
    let output = gathered.around(&options);
    let errors = errors.into_tokens();
    quote_spanned!(Span::mixed_site()=> #output #errors)
}

/// A block with its functions checked.
struct Gathered {
    block: Block,
    inner: Vec<Attribute>,
    members: Vec<TokenStream>,
    entries: Vec<Found>,
    /// There is a function of the user's of the name that the macro would use, or a type.
    own_server: bool,
    own_type: bool,
    /// The server has a lifetime, and cannot be made.
    borrows: bool,
    /// The members, if they could not all be read.
    unreadable: Option<TokenStream>,
}

/// A checked function, and the conditions under which it is there.
struct Found {
    kind: Kind,
    entry: Entry,
    function: Ident,
    /// Which of the members it is.
    member: usize,
    cfgs: Vec<TokenStream>,
}

impl Gathered {
    /// Checks the annotated members of a block, and takes our attributes off them.
    fn of(block: Block, errors: &mut Errors) -> Self {
        let Members { inner, members, unreadable } = block.members(errors);
        let mut gathered = Self {
            block,
            inner,
            members: Vec::new(),
            entries: Vec::new(),
            own_server: false,
            own_type: false,
            borrows: false,
            unreadable,
        };
        for member in members {
            gathered.add(member, errors);
        }
        if let Some(lifetime) = gathered.block.form.borrows() {
            errors.on(
                lifetime,
                "a server outlives whatever it borrows, since calls come at any time; write the type with `'static`, or let the server own what it needs",
            );
            gathered.entries.clear();
            gathered.borrows = true;
        }
        if let Form::Impl { of_trait: Some(path), .. } = &gathered.block.form {
            errors.on(
                path,
                "`#[mcp_server]` goes on a block of the type's own functions; move them to `impl Type { … }`",
            );
            gathered.entries.clear();
        }
        gathered
    }

    fn add(&mut self, member: Member, errors: &mut Errors) {
        let mut function = match member {
            Member::Function(function) => *function,
            Member::Other(tokens, own_type) => {
                self.own_type |= own_type;
                return self.members.push(tokens);
            }
        };
        let mut mistakes = Errors::default();
        let maker = self.block.form.maker();
        if function.sig.ident == maker {
            mistakes.at(
                function.sig.ident.span(),
                format_args!("`#[mcp_server]` makes a function `{maker}` itself; rename this one"),
            );
            self.own_server = true;
        }
        let uses = kinds_of(&mut function, &mut mistakes);
        if !uses.is_empty()
            && matches!(self.block.form, Form::Module(_))
            && (function.refuse_receiver(&mut mistakes) || function.refuse_self_type(&mut mistakes))
        {
            errors.absorb_under(&function.cfgs(), mistakes);
            return self.members.push(function.into_token_stream());
        }
        let (mut first, mut is_wrong): (Option<Kind>, bool) = (None, false);
        for Use { kind, keys, condition, span } in &uses {
            if condition.is_none() {
                if let Some(first) = first {
                    mistakes.at(*span, only_one(*kind, first));
                    continue;
                }
                first = Some(*kind);
            }
            function.strip();
            let is_conditional = condition.is_some();
            let condition = condition.as_ref().map(|condition| quote_spanned!(*span=> #[cfg(#condition)]));
            let cfgs = function.cfgs().into_iter().map(ToTokens::into_token_stream).chain(condition).collect();
            match Entry::validate(*kind, keys.clone(), &function) {
                Ok(entry) => {
                    let (function, member) = (function.sig.ident.clone(), self.members.len());
                    self.register(Found { kind: *kind, entry, function, member, cfgs }, errors);
                }
                Err(more) => {
                    errors.absorb_under(&cfgs, more);
                    // Where the condition does not hold, nothing is refused.
                    is_wrong |= !is_conditional;
                }
            }
        }
        if is_wrong {
            function.mend();
        }
        if uses.is_empty() {
            refuse_stray_mcp(&mut function, &mut mistakes);
        }
        errors.absorb_under(&function.cfgs(), mistakes);
        self.members.push(function.into_token_stream());
    }

    /// Takes an entry whose name, and URI, is new.
    fn register(&mut self, found: Found, errors: &mut Errors) {
        let mut mistakes = Errors::default();
        if self.is_new(&found, &mut mistakes) {
            self.entries.push(found);
        } else {
            errors.absorb_under(&found.cfgs, mistakes);
        }
    }

    fn is_new(&self, found: &Found, errors: &mut Errors) -> bool {
        let (kind, name) = (found.kind, &found.entry.words().name);
        let certain = |other: &&Found| {
            // Under different conditions both may never be there at once; that is checked when the server starts.
            let conditions = |found: &Found| found.cfgs.iter().map(ToString::to_string).collect::<Vec<_>>();
            other.kind == kind && conditions(other) == conditions(found)
        };
        if let Some(first) = self.entries.iter().filter(certain).find(|first| first.entry.words().name == *name) {
            // Of two functions that are written alike the compiler tells.
            if first.function == found.function && first.member != found.member {
                return false;
            }
            let (noun, first) = (kind.noun(), &first.function);
            errors.at(
                found.entry.words().name_span,
                format_args!(
                    "the function `{first}` is the {noun} `{name}` already; give this one another name: `name = \"…\"`"
                ),
            );
            return false;
        }
        if let Entry::Resource(resource) = &found.entry {
            let uri = resource.uri.value();
            let same = |other: &&Found| matches!(&other.entry, Entry::Resource(other) if other.uri.value() == uri);
            if let Some(first) = self.entries.iter().filter(certain).find(same) {
                let first = &first.function;
                errors.at(
                    resource.uri.span(),
                    format_args!(
                        "the function `{first}` is the resource at `{uri}` already; give this one another URI"
                    ),
                );
                return false;
            }
        }
        true
    }

    /// An expression: the server.
    fn server(&self, options: &ServerOptions) -> TokenStream {
        let (scope, span) = self.place();
        if self.borrows {
            return quote_spanned!(span=> ::core::unreachable!());
        }
        let runtime = options.runtime.at(span);
        let entries = |kind| {
            let entries = self.entries.iter().filter(move |found| found.kind == kind).map(
                move |Found { entry, cfgs, .. }| {
                    let entry = entry.expand(scope, &options.runtime);
                    quote_spanned!(span=> #(#cfgs)* #entry)
                },
            );
            quote_spanned!(span=> const { &[#(#entries),*] })
        };
        let (tools, resources, prompts) = (entries(Kind::Tool), entries(Kind::Resource), entries(Kind::Prompt));
        let (part, server) = (self.block.form.part(), options.expand(span));
        let state = match scope {
            Scope::Block => quote_spanned!(span=> #runtime::share(self)),
            Scope::Module => quote_spanned!(span=> #runtime::Arc::new(())),
        };
        quote_spanned! {span=>
            #runtime::McpServer::from_definition(
                #state,
                #runtime::Definition {
                    part: #part, server: #server, tools: #tools, resources: #resources, prompts: #prompts
                },
            )
        }
    }

    /// The names that the functions take, as a constant.
    fn names(&self, options: &ServerOptions) -> TokenStream {
        let (_, span) = self.place();
        let (runtime, part) = (options.runtime.at(span), self.block.form.part());
        let list = |of: &dyn Fn(&Found) -> Option<TokenStream>| {
            let names = self.entries.iter().filter_map(|found| {
                let (name, cfgs) = (of(found)?, &found.cfgs);
                Some(quote_spanned!(span=> #(#cfgs)* #name))
            });
            let names: Vec<_> = names.collect();
            (!names.is_empty()).then(|| quote_spanned!(span=> &[#(#names),*]))
        };
        let named =
            |kind| list(&move |found: &Found| (found.kind == kind).then(|| found.entry.words().name.to_token_stream()));
        let uris = list(&|found| match &found.entry {
            Entry::Resource(resource) => Some(resource.uri.to_token_stream()),
            _ => None,
        });
        let tools = named(Kind::Tool).map(|names| quote_spanned!(span=> .tools(#names)));
        let resources = named(Kind::Resource).map(|names| quote_spanned!(span=> .resources(#names, #uris)));
        let prompts = named(Kind::Prompt).map(|names| quote_spanned!(span=> .prompts(#names)));
        quote_spanned! {span=>
            const NAMES: &'static #runtime::Names = &#runtime::Names::of(#part) #tools #resources #prompts;
        }
    }

    /// The user's item, with the function that makes the server, and with what is mounted in its place: the block's type,
    /// or a type beside the module's function.
    fn around(&self, options: &ServerOptions) -> TokenStream {
        let Self { block: Block { form, attrs, header, braces }, inner, members, .. } = self;
        let (_, span) = self.place();
        let runtime = options.runtime.at(span);
        let (server, names) = (self.server(options), self.names(options));
        let members = match &self.unreadable {
            // What cannot be read is given back as it is: the compiler has more to say about it.
            Some(rest) => rest.clone(),
            None => members.iter().cloned().collect(),
        };
        let assemble = quote_spanned!(span=> fn assemble<__M>(self) -> #runtime::McpServer { #server });
        let (inside, beside) = match form {
            Form::Impl { ty, generics, of_trait } => {
                let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect::<Vec<_>>();
                let (generics, _, bounds) = generics.split_for_impl();
                let part = quote_spanned! {span=>
                    #(#cfgs)*
                    #[doc(hidden)]
                    impl #generics #runtime::Part for #ty #bounds {
                        #names

                        #assemble
                    }
                };
                let own = (!self.own_server).then(|| {
                    quote_spanned! {span=>
                        /// The server that these functions make.
                        #[must_use]
                        pub fn into_server(self) -> #runtime::McpServer { #runtime::Part::assemble::<()>(self) }
                    }
                });
                if of_trait.is_some() || self.unreadable.is_some() {
                    let own = quote_spanned!(span=> #(#cfgs)* impl #generics #ty #bounds { #own });
                    (members, quote_spanned!(span=> #own #part))
                } else {
                    (quote_spanned!(span=> #members #own), part)
                }
            }
            Form::Module(_) => {
                let ident = namesake(&Ident::new("server", span));
                let made = match self.own_type {
                    true => server.clone(),
                    false => quote_spanned!(span=> #runtime::Part::assemble::<()>(#ident {})),
                };
                let own = (!self.own_server).then(|| {
                    quote_spanned! {span=>
                        /// The server that these functions make.
                        #[must_use]
                        pub fn server() -> #runtime::McpServer { #made }
                    }
                });
                let part = (!self.own_server && !self.own_type).then(|| {
                    quote_spanned! {span=>
                        #[doc(hidden)]
                        #[allow(missing_copy_implementations, missing_debug_implementations, clippy::exhaustive_structs)]
                        pub struct #ident {}

                        #[doc(hidden)]
                        impl #runtime::Part for #ident {
                            #names

                            #assemble
                        }
                    }
                });
                // Behind what cannot be read it might be taken for a part of it.
                if self.unreadable.is_some() {
                    (quote_spanned!(span=> #own #part #members), TokenStream::new())
                } else {
                    (quote_spanned!(span=> #members #own #part), TokenStream::new())
                }
            }
        };
        let mut group = Group::new(Delimiter::Brace, quote_spanned!(Span::mixed_site()=> #(#inner)* #inside));
        group.set_span(braces.span());
        quote_spanned!(Span::mixed_site()=> #header #group #beside)
    }

    /// Where generated code points, and how it finds the functions.
    fn place(&self) -> (Scope, Span) {
        match &self.block.form {
            Form::Impl { ty, .. } => (Scope::Block, hygienic(ty.span())),
            Form::Module(_) => (Scope::Module, Span::mixed_site()),
        }
    }
}
