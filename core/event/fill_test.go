package event_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"reasonix/core/event"
)

// filled returns a payload of p's type with every field set. A value depends on its
// field's name alone, so that a new field changes no other.
func filled(p event.Payload) event.Payload {
	v := reflect.New(reflect.TypeOf(p)).Elem()
	fill(v, "", 0)
	return v.Interface().(event.Payload)
}

func fill(v reflect.Value, name string, index int) {
	n := index + 1
	for _, c := range name {
		n += int(c)
	}
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes(fmt.Appendf(nil, `{"%s":[%d,"<&>"]}`, name, n))
		return
	}
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(int64(n), 5e6).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%s %d <&> \"\\\n\t漢🙂\u2028", name, n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Uint64:
		v.SetUint(uint64(n))
	case reflect.Float64:
		v.SetFloat(float64(n) + 0.125)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, index)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), name, 0)
		fill(v.Index(1), name, 1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name, index)
		}
	default:
		panic("no value for a " + v.Type().String())
	}
}
