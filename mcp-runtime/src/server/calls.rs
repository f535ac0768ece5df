//! From a request to the function that answers it: tools, resources, prompts, completions, and the lists of them.

use std::sync::Arc;

use super::{
    arguments::{Mode, PromptCall, PromptRun, ResourceCall, ResourceRun, ToolCall, ToolRun},
    completion,
    context::{Scene, States},
    dispatch::{Dispatcher, Received, Refusal, Request},
    members::texts,
    message::Binding,
    nearest::{excerpt, nearest},
    outcome::resource_not_found,
    params::Params,
    registry::List,
    round::Answers,
    running::{Held, Work, guarded},
    seal::Bond,
    tasks,
};
use crate::protocol::{
    Caching, ErrorCode, GetPromptResult, ReadResourceResult, RpcError, jsonrpc::write_opening, method::Method,
};

impl Dispatcher {
    pub(super) fn list(&self, list: List, request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), RpcError> {
        request.must_offer(list)?;
        let cursor = request.params.cursor()?;
        request.check_meta()?;
        let page = request.registry.pages(list, request.version).page(cursor.as_deref())?;
        write_opening(out, request.id);
        match request.caller.page {
            Some(place) => drop(place.set(Arc::clone(page))),
            None => out.extend_from_slice(page),
        }
        Ok(())
    }

    pub(super) fn call_tool(self: &Arc<Self>, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Received, Refusal> {
        request.must_offer(List::Tools)?;
        let params = request.params;
        let name = params.name()?;
        let Some(tool) = request.registry.tool(&name) else {
            return Err(unknown("tool", &name, request.registry.tool_names()).into());
        };
        request.caller.must_have(tool.scopes)?;
        // An absent `arguments` and a null one are an empty object.
        let arguments = params.arguments;
        if arguments.is_some_and(|raw| !raw.get().starts_with('{')) {
            return Err(RpcError::invalid_params("`params.arguments` must be an object").into());
        }
        if let Binding::Http { headers, .. } = request.caller.binding
            && request.version.is_stateless()
        {
            for argument in &tool.mirrored {
                argument.check(arguments, headers)?;
            }
        }
        let mut scene = self.scene(request, &tool.states)?;
        let task = tasks::requests::of_call(&self.tasks, tool.task, request)?;
        scene.task = task.clone();
        let work = Work::of(request);
        let _held = Held::by(work);
        let step = guarded(work, || {
            tool.function.call(ToolCall(Mode::Run(ToolRun {
                name: &tool.listed.name,
                arguments,
                properties: tool.properties.as_deref(),
                flattened: &tool.flattened,
                patterns: &tool.patterns,
                advertised: tool.advertised.as_deref(),
                strict: tool.strict,
                scene: &scene,
            })))
        });
        match task {
            None => self.advance(step, &scene, request, tool.timeout, |_| (), out),
            Some(task) => self.advance_as_task(&task, step, &scene, request, tool.timeout, out),
        }
    }

    /// Answers what concerns tasks.
    pub(super) fn about_tasks(
        &self,
        method: Method,
        request: &Request<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Received, Refusal> {
        use tasks::requests;

        if !request.registry.has_tasks() {
            return Err(RpcError::new(ErrorCode::MethodNotFound, "this server has no tasks").into());
        }
        requests::must_declare(request)?;
        let (tasks, frame) = (&*self.tasks, &*self.frame);
        match method {
            Method::TaskResult => return requests::result(tasks, request, out),
            Method::UpdateTask => requests::update(tasks, frame, request, out)?,
            Method::CancelTask => requests::cancel(tasks, frame, request, out)?,
            Method::ListTasks => requests::list(tasks, request, out)?,
            _ => requests::get(tasks, frame, request, out)?,
        }
        Ok(Received::Answered)
    }

    pub(super) fn read_resource(
        self: &Arc<Self>,
        request: &Request<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Received, Refusal> {
        request.must_offer(List::Resources)?;
        let uri = request.params.uri()?;
        let found = match request.registry.resource(&uri) {
            Some(resource) => Some((resource, Vec::new())),
            None => request.registry.template(&uri),
        };
        let Some((resource, variables)) = found else {
            let mut error = resource_not_found(&uri);
            if let Some(near) = nearest(&uri, request.registry.resource_uris()) {
                error.message.push_str(&format!("; did you mean `{near}`?"));
            }
            return Err(error.into());
        };
        request.caller.must_have(resource.spec.scopes)?;
        let scene = self.scene(request, &resource.states)?;
        let work = Work::of(request);
        let _held = Held::by(work);
        let step = guarded(work, || {
            resource.function.call(ResourceCall(Mode::Run(ResourceRun {
                uri: &uri,
                mime_type: resource.spec.mime_type,
                variables: &variables,
                scene: &scene,
            })))
        });
        let declared = match request.params.input_responses.or(request.params.request_state) {
            // What came of one client's answers is for nobody to keep.
            Some(_) => Caching::default(),
            None => request.registry.declared(resource.spec.ttl, resource.spec.public_cache),
        };
        let keep = move |result: &mut ReadResourceResult| {
            result.ttl_ms.get_or_insert(declared.ttl_ms);
            result.cache_scope.get_or_insert(declared.cache_scope);
        };
        self.advance(step, &scene, request, None, keep, out)
    }

    pub(super) fn get_prompt(self: &Arc<Self>, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Received, Refusal> {
        request.must_offer(List::Prompts)?;
        let name = request.params.name()?;
        let Some(prompt) = request.registry.prompt(&name) else {
            return Err(unknown("prompt", &name, request.registry.prompt_names()).into());
        };
        request.caller.must_have(prompt.scopes)?;
        let (arguments, problems) = texts(request.params.arguments)?;
        let scene = self.scene(request, &prompt.states)?;
        let work = Work::of(request);
        let _held = Held::by(work);
        let step = guarded(work, || {
            prompt.function.call(PromptCall(Mode::Run(PromptRun {
                name: &name,
                arguments: &arguments,
                problems,
                names: prompt.listed.arguments.as_deref().unwrap_or_default(),
                scene: &scene,
            })))
        });
        let listed = prompt.description;
        let describe = move |result: &mut GetPromptResult| {
            if result.description.is_none() {
                result.description = listed.map(str::to_owned);
            }
        };
        self.advance(step, &scene, request, None, describe, out)
    }

    pub(super) fn complete(self: &Arc<Self>, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Received, Refusal> {
        let step = completion::complete(request)?;
        let states = Arc::default();
        let scene = request.scene(&states)?;
        self.advance(step, &scene, request, None, |_| (), out)
    }

    /// What a handler may know of its request, with the answers of a client that comes back.
    fn scene<'a>(&self, request: &Request<'a>, states: &'a Arc<States>) -> Result<Scene<'a>, RpcError> {
        let scene = request.scene(states)?;
        if request.version.is_stateless() {
            let Params { request_state, input_responses, .. } = request.params;
            scene.answers.set(Answers::open(&self.seal, || request.bond(), *request_state, *input_responses)?);
        }
        Ok(scene)
    }
}

impl<'a> Request<'a> {
    /// Refuses what concerns a capability that the server does not offer.
    fn must_offer(&self, list: List) -> Result<(), RpcError> {
        if self.registry.has(list) {
            return Ok(());
        }
        let things = match list {
            List::Tools => "tools",
            List::Resources | List::ResourceTemplates => "resources",
            List::Prompts => "prompts",
        };
        Err(RpcError::new(ErrorCode::MethodNotFound, format!("this server has no {things}")))
    }

    /// Refuses what no handler looks at, and is wrong all the same: by what the request wants its progress told, and from
    /// which level on it wants to be told.
    pub(super) fn check_meta(&self) -> Result<(), RpcError> {
        self.params.meta.progress_token()?;
        if self.version.is_stateless() {
            self.params.meta.log_level()?;
        }
        Ok(())
    }

    /// What the request's handler may know of it.
    fn scene(&self, states: &'a Arc<States>) -> Result<Scene<'a>, RpcError> {
        let mut scene = Scene::new(self.caller, self.version, states);
        scene.meta = self.params.raw_meta;
        scene.progress_token = self.params.meta.progress_token()?;
        if self.version.is_stateless() {
            scene.log_level = self.params.meta.log_level()?;
        }
        Ok(scene)
    }

    /// What the request is known by when its client comes back.
    pub(super) fn bond(&self) -> Bond {
        Bond::new(self.caller.principal.map(|principal| principal.owner()), self.method, self.raw)
    }
}

pub(super) fn unknown<'a>(kind: &str, name: &str, names: impl Iterator<Item = &'a str>) -> RpcError {
    let mut message = format!("there is no {kind} `{}`", excerpt(name));
    if let Some(near) = nearest(name, names) {
        message.push_str(&format!("; did you mean `{near}`?"));
    }
    RpcError::invalid_params(message)
}
