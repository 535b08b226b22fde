/** Keeps the place of rows that are not drawn. */
export function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tbody aria-hidden="true">
      <tr class="spacer">
        <td style={{ height: `${height}px` }} />
      </tr>
    </tbody>
  );
}
