"""The `openai` SDK behind one call, with every failure as one of our errors. Extra `tkg[llm]`."""

from __future__ import annotations

from typing import Any, Final

from tkg.errors import ModelAnswer, ModelRateLimited, ModelRefused, ModelUnavailable, RequestError, Unsupported
from tkg.extractors.llm.asking import Request

#: what a server without accounts gets for a key
_NO_KEY: Final = "none"


class OpenAIModel:
    """A chat model on an OpenAI-compatible server; call it with a `Request`.

    Args:
        model: its name on the server.
        base_url: address of the server (default: the SDK's, from `OPENAI_BASE_URL` or OpenAI itself).
        api_key: key (default: the SDK's, from `OPENAI_API_KEY`; a server named by `base_url` may need none).
        timeout: seconds for one request.
        retries: how often the SDK waits and repeats after a failure, a time-out or "too many requests".
        seed: passed on, so that servers that can repeat themselves do.

    Raises:
        Unsupported: the SDK is not installed.
        RequestError: no model, or no key and no server of one's own.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        retries: int = 2,
        seed: int = 0,
    ) -> None:
        if not model.strip():
            raise RequestError("the model extractor needs a model: pass model=NAME")
        try:
            import openai
        except ImportError:
            raise Unsupported("reading with a model needs the openai SDK; run: pip install 'tkg[llm]'") from None
        self.model, self._seed, self._sdk = model, seed, openai
        options: dict[str, Any] = {"base_url": base_url, "timeout": timeout, "max_retries": retries}
        try:
            self._client = openai.OpenAI(api_key=api_key, **options)
        except openai.OpenAIError:
            if base_url is None:
                raise RequestError(
                    "no API key; set OPENAI_API_KEY, or pass base_url of a server without keys"
                ) from None
            self._client = openai.OpenAI(api_key=_NO_KEY, **options)

    def __call__(self, request: Request) -> str:
        """Return the text of the model's answer.

        Raises:
            ModelRefused: it declined, or a filter did. ModelAnswer: it stopped in the middle, or said nothing.
            ModelRateLimited: asked to wait too often. ModelUnavailable: no connection, no permission, or a failure.
        """
        sdk = self._sdk
        try:
            found = self._client.chat.completions.create(
                model=self.model,
                messages=[{"role": "system", "content": request.system}, {"role": "user", "content": request.text}],
                temperature=0,
                seed=self._seed,
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": "facts", "schema": request.schema, "strict": True},
                },
            )
        except sdk.RateLimitError:
            raise ModelRateLimited("the model's server asks to wait (429); run the same again later") from None
        except sdk.APITimeoutError:
            raise ModelUnavailable("the model's server did not answer in time; raise timeout, or try later") from None
        except sdk.APIConnectionError:
            raise ModelUnavailable("the model's server cannot be reached; check base_url and that it runs") from None
        except (sdk.AuthenticationError, sdk.PermissionDeniedError) as error:
            raise ModelUnavailable(f"the model's server refuses the key ({error.status_code})") from None
        except sdk.APIStatusError as error:
            hint = "; check the model's name and that it takes a JSON schema" if error.status_code < 500 else ""
            raise ModelUnavailable(f"the model's server answered with status {error.status_code}{hint}") from None
        except (sdk.OpenAIError, ValueError) as error:
            raise ModelAnswer(f"the model's server sent what is no answer ({type(error).__name__})") from None
        return _content(found)


def _content(found: Any) -> str:
    """Return the text of a completion; servers that only look compatible may leave anything out."""
    choices = getattr(found, "choices", None)
    if not choices:
        raise ModelAnswer("the model's server sent no answer")
    message, ended = getattr(choices[0], "message", None), getattr(choices[0], "finish_reason", None)
    if getattr(message, "refusal", None) or ended == "content_filter":
        raise ModelRefused("the model declined to read this text")
    if ended == "length":
        raise ModelAnswer("the model's answer stops in the middle; allow it a longer one")
    content = getattr(message, "content", None)
    if not isinstance(content, str) or not content.strip():
        raise ModelAnswer("the model's answer is empty")
    return content
