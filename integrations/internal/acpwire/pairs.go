package acpwire

import "encoding/json"

// Pairs are variables or headers: a list of names and values in the protocol, an
// object with older clients. Either is read.
type Pairs map[string]string

// UnmarshalJSON implements json.Unmarshaler.
func (p *Pairs) UnmarshalJSON(data []byte) error {
	var list []struct{ Name, Value string }
	if err := json.Unmarshal(data, &list); err != nil {
		var object map[string]string
		if json.Unmarshal(data, &object) != nil {
			return err
		}
		*p = object
		return nil
	}
	if list == nil {
		return nil
	}
	*p = make(Pairs, len(list))
	for _, one := range list {
		(*p)[one.Name] = one.Value
	}
	return nil
}
