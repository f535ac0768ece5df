//! Functions on their way into a registry: gathered from definitions, from mounted servers and from values, and bound to
//! their states.

use std::{any::Any, fmt, sync::Arc};

use serde_json::Value;

use super::{
    answer::Frame,
    arguments::{PromptCall, ResourceCall, ToolCall},
    context::States,
    definition::{self, Prompt, PromptSpec, Resource, ResourceSpec, Tool, ToolSpec},
    dynamic::DynamicTool,
    error::Error,
    obstacles::Obstacles,
    outcome::Step,
    registry::{Identity, Registry, in_one},
};
use crate::protocol::{Caching, CallToolResult, GetPromptResult, Implementation, Meta, ReadResourceResult};

/// Functions on their way into a registry.
#[derive(Default)]
pub(crate) struct Registration {
    tools: Vec<PendingItem<ToolSpec, ToolFunction>>,
    resources: Vec<PendingItem<ResourceSpec, ResourceFunction>>,
    prompts: Vec<PendingItem<PromptSpec, PromptFunction>>,
    /// The states of this server (the first) and of those mounted on it.
    states: Vec<States>,
    /// Tools that no function's table describes, each with the group of its states.
    dynamic: Vec<(DynamicTool, usize)>,
    /// Tools are offered even while there are none.
    offers_tools: bool,
    page_size: Option<usize>,
    caching: Caching,
    extensions: Meta,
}

pub(super) struct PendingItem<Spec, F> {
    pub(super) spec: Spec,
    /// The name, with the prefixes under which its server was mounted.
    pub(super) name: String,
    pub(super) function: F,
    pub(super) states: usize,
    pub(super) full_schemas: bool,
    /// The block or the module it is from.
    pub(super) part: Option<&'static str>,
}

/// Entries of one page, where nobody says otherwise.
const PAGE_SIZE: usize = 500;

impl Registration {
    pub(crate) fn new() -> Self {
        Self { states: vec![States::default()], ..Self::default() }
    }

    pub(crate) fn add_definition<S: Send + Sync + 'static>(
        &mut self,
        state: &Arc<S>,
        definition: &definition::Definition<S>,
    ) {
        let (full, part) = (definition.server.full_schemas, definition.part);
        for tool in definition.tools {
            self.add_tool(part, state, tool, full);
        }
        for resource in definition.resources {
            self.add_resource(part, state, resource);
        }
        for prompt in definition.prompts {
            self.add_prompt(part, state, prompt);
        }
    }

    pub(crate) fn add_tool<S: Send + Sync + 'static>(
        &mut self,
        part: &'static str,
        state: &Arc<S>,
        tool: &Tool<S>,
        full_schemas: bool,
    ) {
        let function = Box::new(Bound { state: Arc::clone(state), call: tool.call });
        let name = tool.spec.name.to_owned();
        self.tools.push(PendingItem { spec: tool.spec, name, function, states: 0, full_schemas, part: Some(part) });
    }

    pub(crate) fn add_resource<S: Send + Sync + 'static>(
        &mut self,
        part: &'static str,
        state: &Arc<S>,
        resource: &Resource<S>,
    ) {
        let function = Box::new(Bound { state: Arc::clone(state), call: resource.call });
        let name = resource.spec.name.to_owned();
        self.resources.push(PendingItem {
            spec: resource.spec,
            name,
            function,
            states: 0,
            full_schemas: false,
            part: Some(part),
        });
    }

    pub(crate) fn add_prompt<S: Send + Sync + 'static>(
        &mut self,
        part: &'static str,
        state: &Arc<S>,
        prompt: &Prompt<S>,
    ) {
        let function = Box::new(Bound { state: Arc::clone(state), call: prompt.call });
        let name = prompt.spec.name.to_owned();
        self.prompts.push(PendingItem {
            spec: prompt.spec,
            name,
            function,
            states: 0,
            full_schemas: false,
            part: Some(part),
        });
    }

    pub(crate) fn add_state<T: Any + Send + Sync>(&mut self, value: T) {
        self.states[0].insert(value);
    }

    pub(crate) fn add_dynamic_tool(&mut self, tool: DynamicTool) {
        self.dynamic.push((tool, 0));
    }

    pub(crate) fn offer_tools(&mut self) {
        self.offers_tools = true;
    }

    pub(crate) fn add_extension(&mut self, name: String, settings: Value) {
        self.extensions.insert(name, settings);
    }

    pub(crate) fn set_page_size(&mut self, size: usize) {
        self.page_size = Some(size.max(1));
    }

    pub(crate) fn set_caching(&mut self, caching: Caching) {
        self.caching = caching;
    }

    /// Takes over another server's functions, named `prefix_…`; URIs stay as they are.
    pub(crate) fn mount(&mut self, prefix: Option<&str>, mut other: Self) {
        let offset = self.states.len();
        let renamed = |name: String| prefix.map_or_else(|| name.clone(), |prefix| format!("{prefix}_{name}"));
        self.tools.extend(other.tools.into_iter().map(|item| item.moved(offset, renamed)));
        self.resources.extend(other.resources.into_iter().map(|item| item.moved(offset, renamed)));
        self.prompts.extend(other.prompts.into_iter().map(|item| item.moved(offset, renamed)));
        self.dynamic.extend(other.dynamic.into_iter().map(|(tool, group)| (tool.renamed(renamed), group + offset)));
        self.offers_tools |= other.offers_tools;
        self.extensions.extend(other.extensions);
        // What a mounted server was given holds for those mounted on it.
        let (own, mounted) = other.states.split_at_mut(1);
        for states in mounted {
            states.fill_from(&own[0]);
        }
        self.states.extend(other.states);
    }

    /// The tools alone, for a registry that is there already.
    pub(super) fn into_tools(self) -> impl Iterator<Item = PendingItem<ToolSpec, ToolFunction>> {
        self.tools.into_iter()
    }

    /// Checks everything, and makes the first snapshot.
    ///
    /// # Errors
    /// All that is wrong, in order of registration.
    pub(crate) fn build(mut self, info: Implementation, instructions: Option<String>) -> Result<Registry, Error> {
        let (own, mounted) = self.states.split_at_mut(1);
        for states in mounted {
            states.fill_from(&own[0]);
        }
        let states: Vec<_> = self.states.into_iter().map(Arc::new).collect();
        let (mut errors, mut obstacles) = (Vec::new(), Obstacles::default());
        check_extensions(&self.extensions, &mut errors);
        let mut registry = Registry::new(Identity {
            frame: Arc::new(Frame::new(&info)),
            info,
            instructions,
            page_size: self.page_size.unwrap_or(PAGE_SIZE),
            caching: self.caching,
            extensions: (!self.extensions.is_empty()).then_some(self.extensions),
            states: Arc::clone(&states[0]),
        });
        if self.offers_tools || !self.tools.is_empty() || !self.dynamic.is_empty() {
            registry.offer_tools();
        }
        for item in self.tools {
            let states = Arc::clone(&states[item.states]);
            registry.add_tool(item, states, &mut errors, &mut obstacles);
        }
        for (tool, group) in self.dynamic {
            registry.add_dynamic(tool, Arc::clone(&states[group]), &mut errors, &mut obstacles);
        }
        for item in self.resources {
            registry.add_resource(item, &states, &mut errors);
        }
        for item in self.prompts {
            registry.add_prompt(item, &states, &mut errors);
        }
        obstacles.warn();
        in_one(errors).map_or(Ok(registry), Err)
    }
}

impl<Spec, F> PendingItem<Spec, F> {
    fn moved(mut self, offset: usize, rename: impl Fn(String) -> String) -> Self {
        self.states += offset;
        self.name = rename(self.name);
        self
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("tools", &self.tools.iter().map(|item| &item.name).collect::<Vec<_>>())
            .field("resources", &self.resources.iter().map(|item| item.spec.uri).collect::<Vec<_>>())
            .field("prompts", &self.prompts.iter().map(|item| &item.name).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// A function with the state it belongs to.
struct Bound<S, F> {
    state: Arc<S>,
    call: F,
}

/// Calls a function whose state's type is forgotten.
pub(crate) trait Function<C, R>: Send + Sync {
    fn call(&self, call: C) -> Step<R>;
}

macro_rules! functions {
    ($($call:ident => $result:ty;)*) => { $(
        impl<S: Send + Sync> Function<$call<'_>, $result> for Bound<S, fn(&Arc<S>, $call<'_>) -> Step<$result>> {
            fn call(&self, call: $call<'_>) -> Step<$result> {
                (self.call)(&self.state, call)
            }
        }
    )* };
}
functions! {
    ToolCall => CallToolResult;
    ResourceCall => ReadResourceResult;
    PromptCall => GetPromptResult;
}

pub(super) type ToolFunction = Box<dyn for<'a> Function<ToolCall<'a>, CallToolResult>>;
pub(super) type ResourceFunction = Box<dyn for<'a> Function<ResourceCall<'a>, ReadResourceResult>>;
pub(super) type PromptFunction = Box<dyn for<'a> Function<PromptCall<'a>, GetPromptResult>>;

/// An extension's identifier is `prefix/name`: the prefix says whose it is (2026-07-28, "Extensions").
fn check_extensions(extensions: &Meta, errors: &mut Vec<Error>) {
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        bytes.first().is_some_and(u8::is_ascii_alphabetic)
            && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    let is_name = |name: &str| {
        let bytes = name.as_bytes();
        bytes.first().is_some_and(u8::is_ascii_alphanumeric)
            && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    for (extension, settings) in extensions {
        let fits =
            extension.split_once('/').is_some_and(|(prefix, name)| prefix.split('.').all(is_label) && is_name(name));
        let reason = match (fits, settings.is_object()) {
            (true, true) => continue,
            (false, _) => "its name must be `prefix/name`, e.g. `com.example/search`",
            (true, false) => "its settings must be a JSON object; `{}` where there are none",
        };
        errors.push(Error::InvalidItem { kind: "extension", name: extension.clone(), reason: reason.to_owned() });
    }
}
