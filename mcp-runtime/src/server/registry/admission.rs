//! What is asked of tools, resources and prompts on their way into the registry.

use std::sync::Arc;

use serde_json::Value;

use super::{RegisteredPrompt, RegisteredResource, RegisteredTool, Registry, icons};
use crate::{
    protocol::{self, RawJson, ToolAnnotations, ToolExecution},
    server::{
        arguments::{Mode, PromptCall, ResourceCall, ToolCall},
        context::{Requirement, States},
        definition::{PromptSpec, ResourceSpec, Segment, ToolSpec},
        describe::{PromptDescription, ResourceDescription, ToolDescription},
        dynamic::DynamicTool,
        error::Error,
        mirrored,
        obstacles::Obstacles,
        registration::{PendingItem, PromptFunction, ResourceFunction, ToolFunction},
        sound, template,
    },
};

impl Registry {
    pub(in crate::server) fn add_tool(
        &mut self,
        item: PendingItem<ToolSpec, ToolFunction>,
        states: Arc<States>,
        errors: &mut Vec<Error>,
        obstacles: &mut Obstacles,
    ) {
        const KIND: &str = "tool";
        let PendingItem { spec, name, function, full_schemas, part, .. } = item;
        let mut description = ToolDescription::new(full_schemas);
        function.call(ToolCall(Mode::Describe(&mut description)));
        check_name(KIND, &name, errors);
        check_states(KIND, &name, &description.requirements, &states, errors);
        for reason in description.faults.drain(..) {
            errors.push(Error::InvalidItem { kind: KIND, name: name.clone(), reason });
        }
        let own_schema = spec.input_schema.map(|schema| schema());
        if let Some(schema) = &own_schema
            && schema["type"] != "object"
        {
            let reason = "its `input_schema` must be an object schema: `\"type\": \"object\"` at the root".to_owned();
            errors.push(Error::InvalidItem { kind: KIND, name: name.clone(), reason });
        }
        if let Some(fault) = own_schema.as_ref().and_then(sound::fault) {
            let reason = format!("its `input_schema` is no JSON Schema: {fault}");
            errors.push(Error::InvalidItem { kind: KIND, name: name.clone(), reason });
        }
        // What was written by hand says nothing of the types.
        let advertised = if own_schema.is_some() { None } else { description.take_advertised(&name) };
        let output_schema = description.take_output_schema().filter(|_| spec.output_schema != Some(false));
        let properties = if own_schema.is_some() { None } else { description.names() };
        let (input_schema, parsed) = match own_schema {
            Some(schema) => (RawJson::from(schema.clone()), schema),
            None => description.take_input_schema(),
        };
        if !full_schemas {
            obstacles.survey(&name, &parsed);
        }
        let mirrored = mirrored::arguments(&parsed);
        let mirrored = mirrored.unwrap_or_else(|reason| {
            errors.push(Error::InvalidItem { kind: KIND, name: name.clone(), reason });
            Vec::new()
        });
        let listed = protocol::Tool {
            name: name.clone(),
            title: spec.title.map(str::to_owned),
            description: Some(spec.description.to_owned()),
            icons: icons(spec.icons),
            input_schema,
            output_schema,
            annotations: annotations(&spec),
            execution: spec.task.map(|support| ToolExecution { task_support: Some(support) }),
            meta: None,
        };
        let tool = RegisteredTool {
            listed,
            function,
            states,
            properties,
            scopes: spec.scopes,
            flattened: description.flattened,
            patterns: description.patterns,
            advertised,
            strict: spec.strict,
            timeout: spec.timeout,
            mirrored,
            task: spec.task,
            caching: self.declared(spec.ttl, spec.public_cache),
        };
        self.tools.insert(KIND, name, part, tool, errors);
    }

    pub(in crate::server) fn add_dynamic(
        &mut self,
        tool: DynamicTool,
        states: Arc<States>,
        errors: &mut Vec<Error>,
        obstacles: &mut Obstacles,
    ) {
        const KIND: &str = "tool";
        let tool = tool.register(states, self.caching());
        let name = tool.listed.name.clone();
        check_name(KIND, &name, errors);
        let mut invalid = |reason: String| errors.push(Error::InvalidItem { kind: KIND, name: name.clone(), reason });
        let schema = |schema: &RawJson| schema.parse().unwrap_or(Value::Null);
        let input = schema(&tool.listed.input_schema);
        if input["type"] != "object" {
            invalid("its input schema must be an object schema: `\"type\": \"object\"` at the root".to_owned());
        }
        obstacles.survey(&name, &input);
        if let Some(fault) = sound::fault(&input) {
            invalid(format!("its input schema is no JSON Schema: {fault}"));
        }
        if let Some(output) = tool.listed.output_schema.as_ref().map(schema) {
            if !output.is_object() {
                invalid("its output schema must be a JSON object".to_owned());
            } else if let Some(fault) = sound::fault(&output) {
                invalid(format!("its output schema is no JSON Schema: {fault}"));
            }
        }
        match mirrored::arguments(&input) {
            Ok(mirrored) => self.tools.insert(KIND, name, None, RegisteredTool { mirrored, ..tool }, errors),
            Err(reason) => invalid(reason),
        }
    }

    pub(in crate::server) fn add_resource(
        &mut self,
        item: PendingItem<ResourceSpec, ResourceFunction>,
        states: &[Arc<States>],
        errors: &mut Vec<Error>,
    ) {
        let PendingItem { spec, name, function, states: group, part, .. } = item;
        let states = Arc::clone(&states[group]);
        let mut description = ResourceDescription::default();
        function.call(ResourceCall(Mode::Describe(&mut description)));
        check_states("resource", &name, &description.requirements, &states, errors);

        if let Some(first) = Arc::make_mut(&mut self.resource_names).insert(name.clone(), part) {
            errors.push(Error::Duplicate { kind: "resource", name, parts: [first, part] });
            return;
        }
        let fixed = spec.segments.iter().all(|segment| matches!(segment, Segment::Literal(_)));
        let resource = RegisteredResource { spec, name, function, states, completing: description.completing.0, part };
        if fixed {
            let uri = spec.uri.to_owned();
            if let Some(first) = self.resources.get(&uri) {
                errors.push(Error::DuplicateUri { kind: "resource", uri, parts: [first.part, part] });
                return;
            }
            self.resources.insert("resource", uri, part, resource, errors);
        } else if let Some(first) =
            self.templates.iter().find(|other| template::is_same(other.spec.segments, spec.segments))
        {
            let (uri, parts) = (spec.uri.to_owned(), [first.part, part]);
            errors.push(Error::DuplicateUri { kind: "resource template", uri, parts });
        } else {
            template::insert(Arc::make_mut(&mut self.templates), Arc::new(resource));
        }
    }

    pub(in crate::server) fn add_prompt(
        &mut self,
        item: PendingItem<PromptSpec, PromptFunction>,
        states: &[Arc<States>],
        errors: &mut Vec<Error>,
    ) {
        const KIND: &str = "prompt";
        let PendingItem { spec, name, function, states: group, part, .. } = item;
        let states = Arc::clone(&states[group]);
        let mut description = PromptDescription::default();
        function.call(PromptCall(Mode::Describe(&mut description)));
        check_name(KIND, &name, errors);
        check_states(KIND, &name, &description.requirements, &states, errors);
        let listed = protocol::Prompt {
            name: name.clone(),
            title: spec.title.map(str::to_owned),
            description: spec.description.map(str::to_owned),
            icons: icons(spec.icons),
            arguments: (!description.arguments.is_empty()).then_some(description.arguments),
            meta: None,
        };
        let prompt = RegisteredPrompt {
            listed,
            scopes: spec.scopes,
            description: spec.description,
            function,
            states,
            completing: description.completing.0,
        };
        self.prompts.insert(KIND, name, part, prompt, errors);
    }
}

fn check_name(kind: &'static str, name: &str, errors: &mut Vec<Error>) {
    let fits = (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if !fits {
        errors.push(Error::InvalidName { kind, name: name.to_owned() });
    }
}

fn check_states(
    kind: &'static str,
    name: &str,
    requirements: &[Requirement],
    states: &States,
    errors: &mut Vec<Error>,
) {
    for requirement in requirements {
        if !states.contains(requirement.type_id) {
            let type_name = requirement.type_name;
            errors.push(Error::MissingState { kind, name: name.to_owned(), type_name });
        }
    }
}

fn annotations(spec: &ToolSpec) -> Option<ToolAnnotations> {
    let annotations = ToolAnnotations {
        title: None,
        read_only_hint: spec.read_only,
        destructive_hint: spec.destructive,
        idempotent_hint: spec.idempotent,
        open_world_hint: spec.open_world,
    };
    (annotations != ToolAnnotations::default()).then_some(annotations)
}
