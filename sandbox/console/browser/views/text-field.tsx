import { Field, type FieldProps } from "./form.tsx";

interface TextFieldProps extends Omit<FieldProps, "children"> {
  readonly placeholder: string;
  /** How many characters are visible. */
  readonly size: number;
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** A field for a short text. Spaces around it are removed. */
export function TextField({ placeholder, size, value, onText, ...field }: TextFieldProps) {
  return (
    <Field {...field}>
      {(facts) => (
        <input
          {...facts}
          size={size}
          placeholder={placeholder}
          value={value}
          onInput={(event) => onText(event.currentTarget.value.trim())}
        />
      )}
    </Field>
  );
}
